import { breach } from '../journal.ts';
import { type Agent, anyOf, asAnonymous, asOwner, type Crowd } from './crowd.ts';
import { isUnknown } from './wire.ts';

/** Archives a record. An unanswered request may or may not have done it. */
export async function revokeSome(crowd: Crowd): Promise<void> {
  const { journal, random } = crowd;
  const sent = anyOf(
    random,
    journal.sent.filter(({ accepted }) => accepted !== null),
  );
  if (!sent?.accepted) return;
  const { record_id } = sent.accepted;
  const path = `/api/v1/owner/decisions/${record_id}/revoke`;
  const { status } = await asOwner(crowd, sent.caller, { method: 'POST', path, body: '{}', right: ['204'] });
  if (status === 204) journal.revoked.set(record_id, true);
}

/** Quarantines a record, which the service may refuse while it is evaluated. */
export async function quarantineSome(crowd: Crowd): Promise<void> {
  const { journal, random, stage } = crowd;
  const sent = anyOf(
    random,
    journal.sent.filter(({ accepted }) => accepted !== null),
  );
  if (!sent?.accepted || journal.quarantined.size > journal.byRecord.size / 10) return;
  const { record_id } = sent.accepted;
  const path = `/api/v1/admin/decisions/${record_id}/quarantine`;
  const body = JSON.stringify({ reason: 'it was chosen at random' });
  const right = ['204', '409 RECORD_BEING_EVALUATED'];
  const reply = await asOwner(crowd, stage.admin, { method: 'POST', path, body, right });
  if (reply.status === 204) journal.quarantined.set(record_id, journal.quarantined.get(record_id) ?? reply.ended);
  else if (isUnknown(reply) && !journal.quarantined.has(record_id)) journal.quarantined.set(record_id, null);
}

/** Rotates the key of an agent. Without a reply, settleRotations finds out its current key. */
export async function rotateSome(crowd: Crowd): Promise<void> {
  const agent = anyOf(crowd.random, crowd.agents.slice(0, -1));
  if (!agent || agent.rotating) return;
  agent.rotating = true;
  agent.unsure = !(await rotate(crowd, agent, agent.key_prefix));
  agent.rotating = agent.unsure;
}

/** Looks up the keys of agents whose rotation was not answered. Returns whether all keys are known. */
export async function settleRotations(crowd: Crowd): Promise<boolean> {
  for (const agent of crowd.agents.filter(({ unsure }) => unsure)) {
    const key_prefix = await currentKey(crowd, agent);
    agent.unsure = key_prefix === undefined || !(await rotate(crowd, agent, key_prefix));
    agent.rotating = agent.unsure;
  }
  return crowd.agents.every(({ rotating }) => !rotating);
}

async function rotate(crowd: Crowd, agent: Agent, from: string): Promise<boolean> {
  const { journal, stage } = crowd;
  const path = `/api/v1/owner/auth/api-keys/${from}/rotate`;
  const call = { method: 'POST', path, right: ['200', '404 NOT_FOUND'] } as const;
  const { status, body } = await asOwner(crowd, agent.caller, call);
  if (status !== 200) return false;
  const old = agent.key;
  agent.retired.add(old);
  agent.key = body.api_key;
  agent.key_prefix = body.key_prefix;
  journal.rotations.push({ from, to: body.key_prefix });
  const right = ['200', '401 UNAUTHORIZED'];
  const headers = { 'x-api-key': old };
  const replies = await Promise.all(
    stage.nodes.map(() => asAnonymous(crowd, { method: 'GET', path: '/api/v1/public/auth/status', headers, right })),
  );
  for (const reply of replies) {
    if (reply.status === 200) breach(journal, 'revocations', `${agent.caller.key_prefix}'s old key was accepted`);
  }
  return true;
}

async function currentKey(crowd: Crowd, { caller }: Agent): Promise<string | undefined> {
  const path = '/api/v1/owner/auth/api-keys';
  const { status, body } = await asOwner(crowd, caller, { method: 'GET', path, right: ['200'] });
  if (status !== 200) return undefined;
  const keys = body.items as readonly { readonly key_prefix: string; readonly agent_id: string }[];
  const own = keys.filter(({ agent_id }) => agent_id === caller.agent_id);
  if (own.length !== 1) breach(crowd.journal, 'revocations', `${caller.agent_id} has ${own.length} keys`);
  return own[0]?.key_prefix;
}
