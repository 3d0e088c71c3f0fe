import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { intakeAcceptanceContract } from './decisions/intake-acceptance.ts';
import { intakeContextContract } from './decisions/intake-context.ts';
import { intakeLimitsContract } from './decisions/intake-limits.ts';
import { intakeOrderContract } from './decisions/intake-order.ts';
import { intakePruningContract } from './decisions/intake-pruning.ts';
import { intakeRelationsContract } from './decisions/intake-relations.ts';
import { intakeReplayContract } from './decisions/intake-replay.ts';

const contracts = [
  intakeAcceptanceContract,
  intakeContextContract,
  intakeRelationsContract,
  intakeReplayContract,
  intakeLimitsContract,
  intakeOrderContract,
  intakePruningContract,
];

describe.each(decisionAdapters)('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of contracts) describe(contract.name, () => contract.promises(bench));
});
