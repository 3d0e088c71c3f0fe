import type { StoredRow } from '../../../domain/backtests/backtest.ts';
import {
  nextRowNote,
  type OutcomeState,
  type RowNote,
  type RowNoteDraft,
  type RowNoteVerdict,
} from '../../../domain/backtests/row-notes.ts';
import { lockOwner } from '../accounts/provider-stores.ts';
import type { Sql } from '../kit/sql.ts';

/** The notes of the row `r`: their times are texts, which `withNotes` reads. */
export const NOTES = `(
    select coalesce(jsonb_agg(jsonb_build_object('text', n.text, 'as_of', n.as_of, 'written_at', n.written_at)
      order by n.as_of, n.number), '[]') from app.backtest_notes n where n.row_id = r.row_id)`;

export type WithNotesColumn<Row extends { readonly notes: readonly RowNote[] }> = Omit<Row, 'notes'> & {
  readonly notes: readonly { readonly text: string; readonly as_of: string; readonly written_at: string }[];
};

export function withNotes({ notes, ...row }: WithNotesColumn<StoredRow>): StoredRow {
  return { ...row, notes: notesOf(notes) };
}

function notesOf(notes: WithNotesColumn<StoredRow>['notes']): readonly RowNote[] {
  return notes.map(({ text, as_of, written_at }) => ({
    text,
    as_of: new Date(as_of),
    written_at: new Date(written_at),
  }));
}

/** SQL by hand: locks. */
export function addRowNote(sql: Sql, draft: RowNoteDraft, atMost: number): Promise<RowNoteVerdict> {
  return sql.atomically(async (own) => {
    const { owner_id, set_id, external_id, text, as_of } = draft;
    await lockOwner(own, owner_id);
    const [found] = await own.rows<LockedRow>(LOCK, [set_id, external_id, owner_id]);
    if (!found) return { verdict: 'no_row' };
    const { row_id, now, notes, ...state } = found;
    const verdict = nextRowNote(state, notesOf(notes), draft, { atMost, now });
    if (verdict.verdict === 'added') await own.rows(ADD, [row_id, notes.length + 1, set_id, text, as_of, now]);
    return verdict;
  });
}

interface LockedRow extends WithNotesColumn<OutcomeState & Pick<StoredRow, 'notes'>> {
  readonly row_id: string;
  readonly now: Date;
}

/** The row is held until the transaction ends, so that nothing deletes it meanwhile; the clock is read behind the lock. */
const LOCK = `
  select r.row_id::text as row_id, r.known_at, r.settles_at, r.record_group, r.ungraded, app.now() as now, ${NOTES} as notes
  from (
    select r.* from app.backtest_rows r join app.backtest_sets s using (set_id)
    where r.set_id = $1 and r.external_id = $2 and s.owner_id = $3 and s.removed_at is null for key share of r
  ) r`;

const ADD = `
  insert into app.backtest_notes (row_id, number, set_id, text, as_of, written_at) values ($1, $2, $3, $4, $5, $6)`;
