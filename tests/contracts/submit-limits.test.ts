import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { intakeLimitsModelContract } from './decisions/intake-limits-model.ts';

describe.each(decisionAdapters.filter(({ name }) => name !== 'postgres with one connection'))('$name', (adapter) => {
  const bench = benchOn(adapter);
  describe(intakeLimitsModelContract.name, () => intakeLimitsModelContract.promises(bench));
});
