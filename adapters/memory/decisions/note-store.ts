import { activeOwner } from '../../../domain/accounts/owner.ts';
import { type Note, type NoteStore, nextNote } from '../../../domain/decisions/own/notes.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import type { DecisionTables } from './decision-tables.ts';

type Tables = Pick<DecisionTables, 'notes' | 'decisions' | 'owners'>;

export function memoryNotes(tables: Tables, now: () => Date): NoteStore {
  const { notes, decisions, owners } = tables;
  return {
    async add({ owner_id, agent_id, record_id, text }, atMost) {
      activeOwner(owners.get(owner_id));
      const record = decisions.get(record_id);
      const isOwn = record?.owner_id === owner_id && record.agent_id === agent_id;
      if (!isOwn || !isPublic(record)) return { verdict: 'not_evaluated' };
      const verdict = nextNote(notesOfRecord(tables, record_id), text, atMost, now());
      if (verdict.verdict === 'added') {
        const { note } = verdict;
        notes.set(`${record_id} ${note.number}`, { record_id, owner_id, agent_id, ...note });
      }
      return verdict;
    },

    async notesOf(record_ids, writtenBy) {
      const found = [...new Set(record_ids)].map((record_id) => {
        const all = notesOfRecord(tables, record_id);
        return [record_id, all.filter(({ written_at }) => !writtenBy || written_at <= writtenBy)] as const;
      });
      return new Map(found.filter(([, own]) => own.length > 0));
    },

    async empty(owner_id, record_id, number) {
      const note = notes.get(`${record_id} ${number}`);
      if (note?.owner_id !== owner_id) return null;
      notes.set(`${record_id} ${number}`, { ...note, text: null });
      return note.text !== null;
    },
  };
}

/** Oldest first. */
export function notesOfRecord({ notes }: Pick<DecisionTables, 'notes'>, record_id: string): readonly Note[] {
  return notes
    .where((row) => row.record_id === record_id)
    .map(({ number, text, written_at }) => ({ number, text, written_at }))
    .toSorted((a, b) => a.number - b.number);
}
