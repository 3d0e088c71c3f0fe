import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { SnapshotStore } from '../../domain/workflows/snapshot.ts';
import type { WorkflowStore } from '../../domain/workflows/workflow.ts';
import { anOwner } from '../builders/accounts.ts';
import { aWorkflowOf } from '../builders/stored-workflows.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { publishedAtOnce } from './workflows/snapshot-store.ts';
import { updatesOfOneVersion, workflowsWithinLimitOf3 } from './workflows/workflow-store.ts';

// The races of the contracts must be able to fail: stores with the usual mistakes are caught by them.

describe.each(decisionAdapters)('planted faults are caught on $name', (adapter) => {
  const bench = benchOn(adapter);

  test('a limit that is read and then acted on is passed', async () => {
    const storage = { ...bench.storage(), workflows: countingFirst(bench.storage().workflows) };
    expect(await workflowsWithinLimitOf3({ storage })).toBeGreaterThan(3);
  });

  test('comparing the version in one statement and writing in the next loses updates', async () => {
    const { owners, workflows } = bench.storage();
    const owner = anOwner();
    await owners.add(owner);
    const { id, owner_id } = aWorkflowOf(owner);
    await workflows.add(aWorkflowOf(owner, { id }), 10);
    expect(await updatesOfOneVersion(comparingFirst(workflows), id, owner_id)).toBeGreaterThan(1);
  });

  test('a snapshot that is looked up and then added fails the second publisher, or counts as published too early', async () => {
    const counts = await publishedAtOnce(lookingFirst(bench.storage().workflowSnapshots));
    expect(counts).not.toEqual({ acknowledged: 20, newOnes: 1, publications: 20, contents: 1 });
  });
});

function countingFirst(workflows: WorkflowStore): WorkflowStore {
  const filter = { visibility: null, tag: null, search: null };
  return {
    ...methodsOf(workflows),
    async add(workflow, atMost) {
      const { total } = await workflows.list(workflow.owner_id, filter, 'name_asc', { page: 1, per_page: 1 });
      await sleep(20);
      return total < atMost && workflows.add(workflow, 1_000);
    },
  };
}

function comparingFirst(workflows: WorkflowStore): WorkflowStore {
  return {
    ...methodsOf(workflows),
    async update(id, owner_id, expected_version, change) {
      const read = await workflows.find(id);
      if (read?.version !== expected_version) return null;
      await sleep(20);
      for (;;) {
        const { version } = (await workflows.find(id)) ?? read;
        const written = await workflows.update(id, owner_id, version, change);
        if (written) return written;
      }
    },
  };
}

function lookingFirst(snapshots: SnapshotStore): Pick<SnapshotStore, 'publish' | 'history' | 'find'> {
  const hashes = new Set<string>();
  return {
    find: (...args) => snapshots.find(...args),
    history: (...args) => snapshots.history(...args),
    async publish(workflow, snapshot) {
      const isThere = hashes.has(snapshot.hash);
      await sleep(20);
      if (!isThere && hashes.has(snapshot.hash)) throw new Error('duplicate key value');
      hashes.add(snapshot.hash);
      return snapshots.publish(workflow, snapshot);
    },
  };
}

/** A store is a proxy: its methods have to be taken one by one. */
function methodsOf(workflows: WorkflowStore): WorkflowStore {
  return {
    add: (...args) => workflows.add(...args),
    find: (...args) => workflows.find(...args),
    lock: (...args) => workflows.lock(...args),
    list: (...args) => workflows.list(...args),
    update: (...args) => workflows.update(...args),
    remove: (...args) => workflows.remove(...args),
  };
}
