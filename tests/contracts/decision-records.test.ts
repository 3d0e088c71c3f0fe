import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { decisionReadingContract } from './decisions/decision-reading.ts';
import { evaluationEndsContract } from './decisions/evaluation-ends.ts';
import { evidenceReaderContract } from './decisions/evidence-reader.ts';
import { leaseContract } from './decisions/leases.ts';
import { moderationContract } from './decisions/moderation.ts';
import { storedEvidenceContract } from './decisions/stored-evidence.ts';
import { storedRepliesContract } from './decisions/stored-replies.ts';
import { transitionsContract } from './decisions/transitions.ts';
import { verificationContract } from './decisions/verification.ts';
import { verificationWaitsContract } from './decisions/verification-waits.ts';

const contracts = [
  decisionReadingContract,
  storedRepliesContract,
  verificationContract,
  verificationWaitsContract,
  leaseContract,
  evaluationEndsContract,
  storedEvidenceContract,
  evidenceReaderContract,
  moderationContract,
  transitionsContract,
];

describe.each(decisionAdapters)('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of contracts) describe(contract.name, () => contract.promises(bench));
});
