import { describe } from '@jest/globals';
import { agentStoreContract } from './accounts/agent-store.ts';
import { ownerOverviewContract } from './accounts/owner-overview.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { archivingContract } from './owner-records/archiving.ts';
import { heldRecordsContract } from './owner-records/held-records.ts';
import { listingContract } from './owner-records/listing.ts';
import { storedCountsContract } from './owner-records/stored-counts.ts';
import { tallyingContract } from './owner-records/tallying.ts';

const contracts = [
  listingContract,
  heldRecordsContract,
  archivingContract,
  tallyingContract,
  ownerOverviewContract,
  agentStoreContract,
  storedCountsContract,
];

describe.each(decisionAdapters)('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of contracts) describe(contract.name, () => contract.promises(bench));
});
