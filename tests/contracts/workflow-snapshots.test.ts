import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { snapshotStoreContract } from './workflows/snapshot-store.ts';
import { workflowReaderContract } from './workflows/workflow-reader.ts';

describe.each(decisionAdapters)('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of [snapshotStoreContract, workflowReaderContract]) {
    describe(contract.name, () => contract.promises(bench));
  }
});
