import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { ownerOverviewContract } from './owner-overview.ts';
import { archivingContract } from './owner-records/archiving.ts';
import { listingContract } from './owner-records/listing.ts';
import { tallyingContract } from './owner-records/tallying.ts';

describe.each(decisionAdapters)('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of [listingContract, archivingContract, tallyingContract, ownerOverviewContract]) {
    describe(contract.name, () => contract.promises(bench));
  }
});
