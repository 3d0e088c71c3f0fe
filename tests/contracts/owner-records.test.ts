import { describe } from '@jest/globals';
import { agentStoreContract } from './accounts/agent-store.ts';
import { ownerOverviewContract } from './accounts/owner-overview.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { archivingContract } from './owner-records/archiving.ts';
import { heldRecordsContract } from './owner-records/held-records.ts';
import { listingContract } from './owner-records/listing.ts';
import { notesContract } from './owner-records/notes.ts';
import { recallingContract } from './owner-records/recalling.ts';
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
  notesContract,
];

describe.each(decisionAdapters)('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of contracts) describe(contract.name, () => contract.promises(bench));
});

// It learns names, after which drafts without them are refused: on a storage of its own.
describe.each(decisionAdapters)('$name', (adapter) => {
  describe(recallingContract.name, () => recallingContract.promises(benchOn(adapter)));
});
