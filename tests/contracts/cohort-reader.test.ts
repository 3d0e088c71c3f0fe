import { describe } from '@jest/globals';
import { countingContract } from './cohorts/counting.ts';
import { holdingContract } from './cohorts/holding.ts';
import { pagingContract } from './cohorts/paging.ts';
import { racingContract } from './cohorts/racing.ts';
import { ungradedContract } from './cohorts/ungraded.ts';
import { verifyingContract } from './cohorts/verifying.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';

const contracts = [
  ...[countingContract, holdingContract, verifyingContract, pagingContract, racingContract, ungradedContract],
];

describe.each(decisionAdapters)('$name', (adapter) => {
  for (const contract of contracts) describe(contract.name, () => contract.promises(benchOn(adapter)));
});
