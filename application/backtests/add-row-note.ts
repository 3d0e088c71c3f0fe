import type { SetName } from '../../domain/backtests/backtest.ts';
import type { OutcomeState, RowNote } from '../../domain/backtests/row-notes.ts';
import { secondsUntil } from '../../domain/decisions/next-change.ts';
import { NOTE } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { later, rfc3339 } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { type Keeper, keep } from '../quotas/keep.ts';
import { ownSet } from './read-sets.ts';

export interface RowNoteRequest extends SetName, Keeper {
  readonly external_id: string;
  /** 1 to 2,000 characters. */
  readonly text: string;
  readonly as_of: Date;
}

/**
 * Adds a note to a graded row of a back-test (loop.md section 6), as of a time from when its outcome was known until now. What
 * the newest note of that time says already is that note.
 * @throws Problem VALIDATION_ERROR (422) for a time that is to come, NOT_FOUND, RECORD_OPEN, TIER_LIMIT_REACHED after
 * `NOTE.perRecord`, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function addRowNote(
  ports: Pick<Ports, 'transaction' | 'backtests' | 'clock' | 'settings'>,
  { text, as_of, external_id, network, ...name }: RowNoteRequest,
): Promise<{ readonly note: RowNote; readonly existed: boolean }> {
  const now = await ports.clock.now();
  if (as_of > now) throw toCome(as_of, now);
  const { set_id, owner_id } = await ownSet(ports, name);
  const verdict = await ports.transaction(async ({ backtests, kept }) => {
    const judged = await backtests.addNote({ owner_id, set_id, external_id, text, as_of }, NOTE.perRecord);
    if (judged.verdict === 'added') await keep({ kept }, ports.settings, { owner_id, network }, 'note');
    return judged;
  });
  switch (verdict.verdict) {
    case 'added':
    case 'repeated':
      return { note: verdict.note, existed: verdict.verdict === 'repeated' };
    case 'full':
      throw new Problem(
        'TIER_LIMIT_REACHED',
        `A row holds ${NOTE.perRecord} notes, and ${external_id} has that many.`,
        {
          suggestion: 'Write about another row.',
        },
      );
    case 'no_row':
      throw new Problem('NOT_FOUND', `The set ${name.name} has no row ${external_id}.`, {
        suggestion: 'Send the external_id of a row that was accepted.',
      });
    case 'not_graded':
      throw notGraded(external_id, verdict.row, now);
  }
}

function toCome(as_of: Date, now: Date): Problem {
  const message = `must not be later than now, ${rfc3339(now)}: send the time of the back-test`;
  return new Problem('VALIDATION_ERROR', 'A note is as of a time that has come.', {
    status: 422,
    details: [{ path: 'as_of', message, received: rfc3339(as_of) }],
  });
}

function notGraded(
  external_id: string,
  { known_at, settles_at, record_group, ungraded }: OutcomeState,
  now: Date,
): Problem {
  if (known_at !== null) {
    return new Problem('RECORD_OPEN', `The outcome of the row ${external_id} was not known by as_of.`, {
      retry_after_seconds: null,
      suggestion: `Send an as_of from ${rfc3339(known_at)}, when it was known, until now.`,
    });
  }
  if (record_group === 'pending') {
    return new Problem('RECORD_OPEN', `The row ${external_id} has no outcome yet.`, {
      retry_after_seconds: secondsUntil(later(settles_at, now), now),
      suggestion: 'Write the note once ungraded_yet of the set is 0: notes are about outcomes.',
    });
  }
  return new Problem('RECORD_OPEN', `The row ${external_id} has no outcome: it ended as ${ungraded}.`, {
    retry_after_seconds: null,
    suggestion: 'Notes are about outcomes: write them on rows that are graded.',
  });
}
