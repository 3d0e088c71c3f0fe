import type { LifecycleState } from '../../../domain/decisions/lifecycle.ts';
import { type Note, type NoteDraft, type NoteStore, nextNote } from '../../../domain/decisions/own/notes.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { lockOwner } from '../accounts/provider-stores.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: locks, and a text that is removed once. */
export function postgresNotes(sql: Sql): NoteStore {
  return {
    add: ({ owner_id, agent_id, record_id, text }, atMost) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        const [record] = await own.rows<LockedRecord>(LOCK, [record_id, owner_id, agent_id]);
        if (!record || !isPublic(record)) return { verdict: 'not_evaluated' };
        const notes = await own.rows<Note>(OF_RECORD, [record_id]);
        const verdict = nextNote(notes, text, atMost, record.now);
        if (verdict.verdict !== 'added') return verdict;
        const { number, written_at } = verdict.note;
        await own.rows(ADD, [record_id, number, owner_id, agent_id, text, written_at]);
        return verdict;
      }),

    async notesOf(record_ids, writtenBy) {
      if (record_ids.length === 0) return new Map();
      const rows = await sql.rows<NoteRow>(OF_RECORDS, [record_ids, writtenBy ?? null]);
      const found = Map.groupBy(rows, ({ record_id }) => record_id);
      return new Map([...found].map(([record_id, own]) => [record_id, own.map(({ record_id: _, ...note }) => note)]));
    },

    async empty(owner_id, record_id, number) {
      const [note] = await sql.rows<{ had_text: boolean }>(EMPTY, [owner_id, record_id, number]);
      return note?.had_text ?? null;
    },
  };
}

type NoteRow = Note & Pick<NoteDraft, 'record_id'>;

interface LockedRecord {
  readonly lifecycle_state: LifecycleState;
  readonly now: Date;
}

/** The clock is read behind the lock: in a subquery of the locked row. */
const LOCK = `
  select l.lifecycle_state, app.now() as now from (
    select lifecycle_state from app.decisions where record_id = $1 and owner_id = $2 and agent_id = $3 for no key update
  ) l`;

const COLUMNS = 'number, text, written_at';

const OF_RECORD = `select ${COLUMNS} from app.decision_notes where record_id = $1 order by number`;

const OF_RECORDS = `
  select record_id, ${COLUMNS} from app.decision_notes
  where record_id = any($1) and ($2::timestamptz is null or written_at <= $2) order by record_id, number`;

const ADD = `
  insert into app.decision_notes (record_id, number, owner_id, agent_id, text, written_at)
  values ($1, $2, $3, $4, $5, $6)`;

/** The row as it was is read behind the lock of those who empty it, too. */
const EMPTY = `
  with found as (
    select record_id, number, text is not null as had_text from app.decision_notes
    where owner_id = $1 and record_id = $2 and number = $3 for update
  ), emptied as (
    update app.decision_notes n set text = null from found f
    where f.had_text and n.record_id = f.record_id and n.number = f.number
  )
  select had_text from found`;
