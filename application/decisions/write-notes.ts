import type { DecisionStatus } from '../../domain/decisions/decision.ts';
import type { LifecycleState } from '../../domain/decisions/lifecycle.ts';
import { nextChange, secondsUntil } from '../../domain/decisions/next-change.ts';
import type { Note } from '../../domain/decisions/own/notes.ts';
import { expectedEvaluation } from '../../domain/decisions/views/views.ts';
import { NOTE } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { later, rfc3339 } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { type Keeper, type KeptSettings, keep } from '../quotas/keep.ts';
import { type GapPorts, gapOf } from './price-gaps.ts';

export interface NoteRequest extends Keeper {
  readonly agent_id: string;
  readonly record_id: string;
  /** 1 to 2,000 characters. */
  readonly text: string;
}

export interface WrittenNote {
  readonly note: Note;
  /** The newest note of the record had this text already. */
  readonly existed: boolean;
}

type NotePorts = Pick<Ports, 'transaction' | 'decisions' | 'clock'> & GapPorts & { readonly settings: KeptSettings };

/**
 * Adds a note to an evaluated record of the agent (docs/records.md). A text that the newest note has is that note.
 * @throws Problem NOT_FOUND for a record of another agent, RECORD_OPEN, TIER_LIMIT_REACHED after `NOTE.perRecord`,
 * DAILY_QUOTA_EXCEEDED, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function addNote(
  ports: NotePorts,
  { owner_id, agent_id, record_id, text, network }: NoteRequest,
): Promise<WrittenNote> {
  const verdict = await ports.transaction(async ({ notes, kept }) => {
    const judged = await notes.add({ owner_id, agent_id, record_id, text }, NOTE.perRecord);
    if (judged.verdict === 'added') await keep({ kept }, ports.settings, { owner_id, network }, 'note');
    return judged;
  });
  switch (verdict.verdict) {
    case 'added':
    case 'repeated':
      return { note: verdict.note, existed: verdict.verdict === 'repeated' };
    case 'full':
      throw recordFull(record_id);
    case 'not_evaluated':
      throw await refusal(ports, { owner_id, agent_id, record_id });
  }
}

/**
 * Removes the text of a note for good; its number and its time stay. Doing it again changes nothing.
 * @throws Problem NOT_FOUND, also for a note of another owner
 */
export async function emptyNote(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  record_id: string,
  number: number,
): Promise<void> {
  await transaction(async ({ notes, audit }) => {
    const hadText = await notes.empty(owner_id, record_id, number);
    if (hadText === null) throw noSuchNote(record_id, number);
    if (hadText) await audit.append({ actor: owner_id, action: 'empty_note', subject: record_id, detail: { number } });
  });
}

function noSuchNote(record_id: string, number: number): Problem {
  return new Problem('NOT_FOUND', `You have no record ${record_id} with a note ${number}.`, {
    suggestion: `GET /api/v1/owner/decisions/${record_id}?include_archived=true lists its notes.`,
  });
}

function recordFull(record_id: string): Problem {
  return new Problem('TIER_LIMIT_REACHED', `A record holds ${NOTE.perRecord} notes, and ${record_id} has that many.`, {
    suggestion: 'Write about another record; a note that is emptied counts as before.',
  });
}

/** The record as it is read behind the refusal. */
async function refusal(
  ports: NotePorts,
  { owner_id, agent_id, record_id }: Pick<NoteRequest, 'owner_id' | 'agent_id' | 'record_id'>,
): Promise<Problem> {
  const [record] = await ports.decisions.findStatus([record_id], owner_id);
  if (record?.owner_id !== owner_id || record.agent_id !== agent_id) {
    return new Problem('NOT_FOUND', `Your agent has no record ${record_id}.`, {
      suggestion: 'Only the agent of a record writes notes on it; GET /api/v1/agent/decisions lists its records.',
    });
  }
  const expected = expectedEvaluation(record, await gapOf(ports, record));
  return expected === null ? endedUngraded(record) : stillOpen(record, expected, await ports.clock.lastSeen());
}

function stillOpen(record: DecisionStatus, expected: Date, now: Date): Problem {
  const graded = later(expected, nextChange(record, now) ?? now);
  const message = `The record ${record.record_id} has no outcome yet; it is expected at ${rfc3339(expected)}.`;
  return new Problem('RECORD_OPEN', message, { retry_after_seconds: secondsUntil(graded, now) });
}

function endedUngraded({ record_id, lifecycle_state }: DecisionStatus): Problem {
  const why = UNGRADED[lifecycle_state] ?? 'no source can grade it now';
  return new Problem('RECORD_OPEN', `The record ${record_id} has no outcome: ${why}.`, {
    retry_after_seconds: null,
    suggestion: 'Notes are about outcomes: write them on records whose lifecycle_state is evaluated.',
  });
}

const UNGRADED: Readonly<Partial<Record<LifecycleState, string>>> = {
  rejected: 'its instrument could not be verified',
  data_unavailable: 'no prices of its window were found',
  quarantined: 'it is in quarantine, which an operator can end',
};
