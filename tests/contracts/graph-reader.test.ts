import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { walkingContract } from './graph/walking.ts';

describe.each(decisionAdapters)('$name', (adapter) => {
  describe(walkingContract.name, () => walkingContract.promises(benchOn(adapter)));
});
