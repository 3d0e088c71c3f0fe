import type { Note } from '../decisions/own/notes.ts';
import type { RecordGroup } from '../decisions/own/record-counts.ts';
import type { UngradedReason } from '../decisions/ungraded.ts';

/** What an agent wrote about a row of a back-test, as of a time of the back-test. */
export interface RowNote {
  readonly text: string;
  /** From when on it is known: never before the outcome was. */
  readonly as_of: Date;
  readonly written_at: Date;
}

export interface RowNoteDraft extends Pick<RowNote, 'text' | 'as_of'> {
  readonly owner_id: string;
  readonly set_id: number;
  readonly external_id: string;
}

export type RowNoteVerdict =
  | { readonly verdict: 'added' | 'repeated'; readonly note: RowNote }
  | { readonly verdict: 'full' | 'no_row' }
  | { readonly verdict: 'not_graded'; readonly row: OutcomeState };

/** Whether a row has an outcome, and since when. */
export interface OutcomeState {
  readonly known_at: Date | null;
  readonly settles_at: Date;
  readonly record_group: RecordGroup;
  readonly ungraded: UngradedReason | null;
}

/**
 * What becomes of a text: the row has no outcome as of then, the newest note of that time says it already, the row is full,
 * or it is a note. So a back-test that runs again and sends the same notes adds none.
 * @param notes all of the row, as `byTime` orders them
 * @param atMost notes of a row
 */
export function nextRowNote(
  row: OutcomeState,
  notes: readonly RowNote[],
  { text, as_of }: Pick<RowNote, 'text' | 'as_of'>,
  { atMost, now }: { readonly atMost: number; readonly now: Date },
): Exclude<RowNoteVerdict, { readonly verdict: 'no_row' }> {
  if (row.known_at === null || row.known_at > as_of) return { verdict: 'not_graded', row };
  const newest = knownNotes(notes, as_of).at(-1);
  if (newest?.text === text) return { verdict: 'repeated', note: newest };
  if (notes.length >= atMost) return { verdict: 'full' };
  return { verdict: 'added', note: { text, as_of, written_at: now } };
}

/** Those that were known by a time. */
export function knownNotes(notes: readonly RowNote[], as_of: Date): readonly RowNote[] {
  return notes.filter((note) => note.as_of <= as_of);
}

/** As recall shows them: at the time of the back-test, and numbered by it, so that later ones change nothing. */
export function recalledNotes({ notes }: { readonly notes: readonly RowNote[] }): readonly Note[] {
  return notes.map(({ text, as_of }, index) => ({ number: index + 1, text, written_at: as_of }));
}
