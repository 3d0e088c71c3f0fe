import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { marketplaceContract } from './workflows/marketplace.ts';
import { ownersWorkflowsContract } from './workflows/owners-workflows.ts';
import { snapshotStoreContract } from './workflows/snapshot-store.ts';
import { usageContract } from './workflows/usage.ts';

describe.each(decisionAdapters)('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of [snapshotStoreContract, marketplaceContract, usageContract, ownersWorkflowsContract]) {
    describe(contract.name, () => contract.promises(bench));
  }
});
