import { expect, test } from '@jest/globals';
import { someSnapshot } from '../../builders/stored-workflows.ts';
import { race } from '../adapters.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { addWorkflow, publish } from './workflow-steps.ts';

export const ownersWorkflowsContract: DecisionContract = {
  name: 'workflows among the data of an owner',
  promises(bench) {
    const countOf = async (owner_id: string) => (await bench.storage().ownerOverview.counts(owner_id)).workflows;

    test('the dashboard counts the owner’s own workflows', async () => {
      const [owner, other] = [await bench.agent(), await bench.agent()];
      const [first] = [
        await addWorkflow(bench, owner),
        await addWorkflow(bench, owner),
        await addWorkflow(bench, other),
      ];
      expect(await countOf(owner.owner_id)).toBe(2);
      await bench.storage().workflows.remove(first.id, owner.owner_id);
      expect(await countOf(owner.owner_id)).toBe(1);
    });

    test('the export of an owner contains their drafts and publications', async () => {
      const [owner, other] = [await bench.agent(), await bench.agent()];
      const [workflow, foreign] = [await addWorkflow(bench, owner, { name: 'Mine' }), await addWorkflow(bench, other)];
      const [snapshot, hidden] = [someSnapshot(), someSnapshot()];
      await publish(bench, workflow, snapshot);
      await publish(bench, foreign, hidden);
      const account = await bench.storage().ownerData.account(owner.owner_id);
      expect(account?.rows.workflows).toMatchObject([{ id: workflow.id, name: 'Mine' }]);
      expect(account?.rows.workflow_publications).toMatchObject([{ workflow_id: workflow.id, ...snapshot }]);
    });

    test('drafts go with their owner, for 20 that are added meanwhile too; what was published stays', async () => {
      const owner = await bench.agent();
      const { workflows, workflowSnapshots } = bench.storage();
      const workflow = await addWorkflow(bench, owner);
      const snapshot = someSnapshot();
      await publish(bench, workflow, snapshot);
      const added = await race(21, (worker) =>
        worker === 10
          ? bench
              .operators()
              .ownerAdministration.remove(owner.owner_id)
              .then(() => null)
          : addWorkflow(bench, owner).catch(({ code }) => code as string),
      );
      expect(added.filter((each) => typeof each === 'string' && each !== 'UNAUTHORIZED')).toEqual([]);
      for (const each of [workflow, ...added]) {
        if (each !== null && typeof each === 'object') expect(await workflows.find(each.id)).toBeNull();
      }
      expect(await workflowSnapshots.find(snapshot.hash, null)).toMatchObject(snapshot);
      expect((await workflowSnapshots.history(workflow.id, { page: 1, per_page: 10 })).total).toBe(1);
    });
  },
};
