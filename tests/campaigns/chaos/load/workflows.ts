import { draftExample } from '../../../../adapters/http/shapes/workflows/workflow-draft.ts';
import { anyOf, asOwner, type Crowd, type Workflow } from './crowd.ts';
import { isUnknown } from './wire.ts';

const PATH = '/api/v1/owner/workflows';

/** Adds a workflow of each owner, before any fault. */
export async function addWorkflows(crowd: Crowd): Promise<void> {
  const owners = new Map(crowd.agents.map(({ caller }) => [caller.owner_id, caller]));
  for (const owner of owners.values()) {
    const body = JSON.stringify(draftExample);
    const reply = await asOwner(crowd, owner, { method: 'POST', path: PATH, body, right: ['201'] });
    if (reply.status !== 201) throw new Error(`A workflow could not be added: ${reply.text}`);
    crowd.workflows.push({ owner, id: reply.body.id, version: reply.body.version, busy: false });
  }
}

/** Changes a workflow with its expected version, or publishes it. */
export async function designSome(crowd: Crowd): Promise<void> {
  const workflow = anyOf(crowd.random, crowd.workflows);
  if (!workflow || workflow.busy) return;
  workflow.busy = true;
  await (crowd.random.below(2) === 0 ? change(crowd, workflow) : publish(crowd, workflow));
  workflow.busy = false;
}

async function change({ journal, random, ...crowd }: Crowd, workflow: Workflow): Promise<void> {
  const { owner, id } = workflow;
  const all = { journal, random, ...crowd };
  const description = `Puts a claim on record, for the ${random.below(2 ** 31)}th time.`;
  const body = JSON.stringify({ expected_version: workflow.version, description });
  const call = { method: 'PUT', path: `${PATH}/${id}`, body, right: ['200', '409 VERSION_CONFLICT'] } as const;
  const reply = await asOwner(all, owner, call);
  if (reply.status === 200) {
    workflow.version = reply.body.version;
    journal.versions.push({ id, version: reply.body.version, description });
  } else if (isUnknown(reply) || reply.code === 'VERSION_CONFLICT') {
    const seen = await asOwner(all, owner, { method: 'GET', path: `${PATH}/${id}`, right: ['200'] });
    if (seen.status === 200) workflow.version = seen.body.version;
  }
}

async function publish(crowd: Crowd, { owner, id }: Workflow): Promise<void> {
  const call = { method: 'POST', path: `${PATH}/${id}/snapshots`, right: ['200'] } as const;
  const { status, body } = await asOwner(crowd, owner, call);
  if (status === 200) crowd.journal.published.push({ id, hash: body.hash, owner_id: owner.owner_id });
}
