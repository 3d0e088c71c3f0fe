import { breach, type Journal, now, type Sent } from '../journal.ts';
import { type Agent, anyOf, asAgent, asAnonymous, asOwner, type Crowd } from './crowd.ts';
import type { Reply } from './wire.ts';

const AGENT = '/api/v1/agent';
const PUBLIC = '/api/v1/public';
const SPENT = '429 DAILY_QUOTA_EXCEEDED';

/** Reads a record or its state as its agent. */
export async function readOwn(crowd: Crowd): Promise<void> {
  const [record_id, sent, agent] = someRecord(crowd);
  if (!agent) return;
  const isState = crowd.random.below(2) === 0;
  const path = `${AGENT}/decisions/${record_id}${isState ? '/state' : ''}`;
  const reply = await asAgent(crowd, agent, { method: 'GET', path, record_id, right: ['200', SPENT] });
  if (reply.status !== 200) return;
  if (isState) compareOutcome(crowd.journal, record_id, reply);
  else compareRecord(crowd.journal, sent, reply);
}

/** Reads the state with the owner's session, which no pool limits. */
export async function readAsOwner(crowd: Crowd): Promise<void> {
  const [record_id, sent] = someRecord(crowd);
  if (!sent) return;
  const path = `/api/v1/owner/decisions/${record_id}/state`;
  const reply = await asOwner(crowd, sent.caller, { method: 'GET', path, right: ['200'] });
  if (reply.status === 200) compareOutcome(crowd.journal, record_id, reply);
}

function someRecord({ journal, agents, random }: Crowd): readonly [string, Sent | undefined, Agent | undefined] {
  const sent = anyOf(random, journal.sent.slice(-2_000));
  if (!sent?.accepted) return ['', undefined, undefined];
  return [sent.accepted.record_id, sent, agents.find(({ caller }) => caller === sent.caller)];
}

function compareRecord(journal: Journal, sent: Sent | undefined, { body }: Reply): void {
  if (!sent?.accepted || body.commitment === sent.accepted.commitment) return;
  breach(journal, 'lost', `${sent.accepted.record_id} is shown with the commitment ${body.commitment}`);
}

/** An outcome never changes; a quarantined record has none. */
function compareOutcome({ outcomes, ...journal }: Journal, record_id: string, { body }: Reply): void {
  if (!body.outcome) return;
  const text = JSON.stringify(body.outcome);
  const first = outcomes.get(record_id);
  if (first === undefined) outcomes.set(record_id, text);
  else if (first !== text) breach(journal, 'appendOnly', `the outcome of ${record_id} was ${first} and is ${text}`);
}

/** Reads a record without a credential, often a quarantined one, which must not be found. */
export async function readAsAnonymous(crowd: Crowd): Promise<void> {
  const { journal, random } = crowd;
  const hidden = random.below(2) === 0 ? anyOf(random, [...journal.quarantined.keys()].slice(-50)) : undefined;
  const record_id = hidden ?? someRecord(crowd)[0];
  if (record_id === '') return;
  const since = journal.quarantined.get(record_id);
  const started = now();
  const path = `${PUBLIC}/decisions/${record_id}${random.below(2) === 0 ? '/state' : ''}`;
  const { status } = await asAnonymous(crowd, { method: 'GET', path, right: ['200', '404 NOT_FOUND'] });
  if (status === 200 && since != null && since < started) {
    breach(journal, 'quarantine', `${record_id} was shown at ${started}, and quarantined at ${since}`);
  }
}

/** Reads a page of a cohort: its counts add up, and it contains no quarantined record. */
export async function queryWisdom(crowd: Crowd): Promise<void> {
  const { journal, agents, random } = crowd;
  const agent = anyOf(random, agents);
  if (!agent) return;
  const hidden = new Set([...journal.quarantined].flatMap(([id, at]) => (at === null ? [] : [id])));
  const path = `${AGENT}/wisdom?market=crypto&include_retroactive=true&limit=100`;
  const { status, body } = await asAgent(crowd, agent, { method: 'GET', path, right: ['200', SPENT] });
  if (status !== 200) return;
  const { sample_count, result_distribution } = body.overview;
  const sum = Object.values(result_distribution ?? {}).reduce<number>((total, n) => total + Number(n), 0);
  if ((sample_count ?? 0) !== sum) breach(journal, 'cohorts', `${sample_count} samples in buckets of ${sum}`);
  for (const { record_id } of body.items as readonly { readonly record_id: string }[]) {
    if (hidden.has(record_id)) breach(journal, 'quarantine', `${record_id} was in a page of a cohort`);
  }
}

/** Sends more requests at once with one key than its windows admit. */
export async function overloadOneKey(crowd: Crowd): Promise<void> {
  const agent = crowd.agents.at(-1);
  if (!agent) return;
  const path = '/api/v1/public/auth/status';
  const one = () => asAgent(crowd, agent, { method: 'GET', path, right: ['200'] });
  await Promise.all(Array.from({ length: 40 }, one));
}
