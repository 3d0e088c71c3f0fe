import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import type { Snapshot } from '../../../domain/workflows/snapshot.ts';
import type { NewWorkflow } from '../../../domain/workflows/workflow.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { aWorkflowOf } from '../../builders/stored-workflows.ts';
import { grade } from '../cohorts/universe.ts';
import type { Bench } from '../decisions/bench.ts';

/** Adds a workflow, by default a public one, to the storage. */
export async function addWorkflow(
  bench: Bench,
  owner: { readonly owner_id: string },
  changes: Partial<NewWorkflow> = {},
): Promise<NewWorkflow> {
  const workflow = aWorkflowOf(owner, { visibility: 'public', ...changes });
  await bench.storage().workflows.add(workflow, 100);
  return workflow;
}

export function publish(bench: Bench, workflow: NewWorkflow, snapshot: Snapshot, visibility = workflow.visibility) {
  return bench.storage().workflowSnapshots.publish({ ...workflow, visibility }, snapshot);
}

/** Records of these agents that name the snapshots in turn, graded into the buckets in turn; their ids. */
export async function recordsUsing(bench: Bench, agents: readonly AgentCaller[], hashes: readonly string[] = []) {
  const ids: string[] = [];
  for (const [place, agent] of agents.entries()) {
    const { record_id, workflow_hash } = await bench.accepted(agent, {
      workflow_ref: `wf:${hashes[place % hashes.length]}`,
    });
    if (workflow_hash === null) throw new Error('The record names no snapshot.');
    ids.push(record_id);
  }
  const graded = ids.map((record_id, place) => ({ record_id, bucket: RESULT_BUCKETS[place % 4] ?? 'weak_correct' }));
  await grade(bench.storage(), graded, await bench.now());
  return ids;
}
