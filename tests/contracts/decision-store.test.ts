import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { decisionReadingContract } from './decisions/decision-reading.ts';
import { evaluationEndsContract } from './decisions/evaluation-ends.ts';
import { leaseContract } from './decisions/leases.ts';
import { verificationContract } from './decisions/verification.ts';

const contracts = [decisionReadingContract, verificationContract, leaseContract, evaluationEndsContract];

for (const adapter of decisionAdapters) {
  for (const contract of contracts) {
    describe(`${adapter.name}: ${contract.name}`, () => contract.promises(benchOn(adapter)));
  }
}
