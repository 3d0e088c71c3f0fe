import { quarantineDecision, revokeDecision } from '../../../application/decisions/moderate-decision.ts';
import { addNote } from '../../../application/decisions/write-notes.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import type { Party, Stage } from './party.ts';

/** Ids of records of one owner. All but `open` have been evaluated. */
export type Records = Readonly<Record<'open' | 'public' | 'archived' | 'quarantined', string>>;

/** A text of every record that only the owner may read. */
export const PRIVATE_WORDS = 'words that nobody but the owner reads';

export async function ownedRecords(stage: Stage, owner: Party): Promise<Records> {
  const { ports, settle } = stage.service;
  const ids: string[] = [];
  for (const daysAgo of [5, 6, 7]) ids.push(await submit(stage, owner, aPastCall(daysAgo)));
  await settle();
  const [active = '', archived = '', quarantined = ''] = ids;
  const by = { owner_id: owner.owner_id, agent_id: owner.agent_id, network: 'a network' };
  for (const record_id of ids) await addNote(ports, { ...by, record_id, text: PRIVATE_WORDS });
  await revokeDecision(ports, owner.owner_id, archived, 'a test of mine');
  await quarantineDecision(ports, quarantined, 'a stolen key', 'test');
  return { open: await openRecord(stage, owner), public: active, archived, quarantined };
}

/** A record whose window has just begun. */
export function openRecord(stage: Stage, owner: Party): Promise<string> {
  return submit(stage, owner, anOpenCall());
}

/** A decision with a window of a month that begins now. */
export function anOpenCall(changes: Partial<Submission> = {}): Submission {
  return aSubmission(COHORTS_AT, { horizon_kind: 'trading_days', horizon_value: 30, ...changes });
}

async function submit({ wire }: Stage, { keys }: Party, call: Submission): Promise<string> {
  const { api_key } = keys.read_write;
  const submission = { method: 'POST', path: '/api/v1/agent/decisions', body: { ...call, summary: PRIVATE_WORDS } };
  const { status, text, body } = await wire.send(submission, { 'x-api-key': api_key });
  if (status !== 201) throw new Error(text);
  return body.record_id;
}
