import { later } from '../../time.ts';

/** What an agent wrote about one of its records after the outcome: no part of the statement, and in no leaf. */
export interface Note {
  /** Among the notes of the record, from 1 without gaps. */
  readonly number: number;
  /** null: its owner emptied it. */
  readonly text: string | null;
  readonly written_at: Date;
}

export interface NoteDraft {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly record_id: string;
  readonly text: string;
}

export type NoteVerdict =
  | { readonly verdict: 'added' | 'repeated'; readonly note: Note }
  | { readonly verdict: 'not_evaluated' | 'full' };

/**
 * What becomes of a text: it repeats the newest note, finds the record full, or is the next note. An emptied note counts as
 * one, and repeats nothing.
 * @param notes all of the record, oldest first
 * @param atMost notes of a record
 */
export function nextNote(
  notes: readonly Note[],
  text: string,
  atMost: number,
  now: Date,
): Exclude<NoteVerdict, { readonly verdict: 'not_evaluated' }> {
  const newest = notes.at(-1);
  if (newest?.text === text) return { verdict: 'repeated', note: newest };
  if (notes.length >= atMost) return { verdict: 'full' };
  const written_at = newest ? later(newest.written_at, now) : now;
  return { verdict: 'added', note: { number: notes.length + 1, text, written_at } };
}

/** Notes on evaluated records. */
export interface NoteStore {
  /**
   * Adds a note to a record of the agent, as `nextNote` judges it: at the time of the database's clock, and never before
   * the note before it. `not_evaluated`: the agent has no such record, or it is in another state. The owner and the record
   * stay locked until the transaction ends, so that concurrent texts are judged one after the other, a record that is
   * being quarantined takes none, and no note is added to an account that was removed.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  add(draft: NoteDraft, atMost: number): Promise<NoteVerdict>;

  /**
   * The notes of records, oldest first; a record without notes is not in the map.
   * @param writtenBy only those that were written at or before it
   */
  notesOf(record_ids: readonly string[], writtenBy?: Date): Promise<ReadonlyMap<string, readonly Note[]>>;

  /**
   * Removes the text of a note for good; its number and its time stay. Whether it had a text; null when the owner has no
   * such note. Of concurrent calls one removes it.
   */
  empty(owner_id: string, record_id: string, number: number): Promise<boolean | null>;
}
