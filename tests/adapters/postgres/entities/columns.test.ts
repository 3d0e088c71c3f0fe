import { expect, test } from '@jest/globals';
import { EntitySchema } from 'typeorm';
import {
  assignment,
  INSTANT,
  insertion,
  replacement,
  SEQUENCE,
  selection,
} from '../../../../adapters/postgres/entities/columns.ts';

interface Note {
  readonly seq: string;
  readonly owner_id: string;
  readonly words: readonly string[] | null;
  readonly at: Date;
  readonly read: boolean;
  readonly hash: Uint8Array;
  readonly reader: string | null;
}

const NOTES = new EntitySchema<Note>({
  name: 'note',
  columns: {
    seq: SEQUENCE,
    owner_id: { type: 'uuid' },
    words: { type: 'text', array: true, nullable: true },
    at: INSTANT,
    read: { type: 'boolean', default: false },
    hash: { type: 'bytea', select: false },
    reader: {
      type: 'text',
      virtualProperty: true,
      query: (note) => `select r.name from readers r where r.seq = ${note}.seq`,
    },
  },
});

test('reads return the columns that are not hidden, and those of other tables', () => {
  expect(selection(NOTES, 'n')).toBe(
    'n.seq, n.owner_id, n.words, n.at, n.read, (select r.name from readers r where r.seq = n.seq) as reader',
  );
});

test('an insert writes the columns that have neither a default nor another source, in one order', () => {
  const { names, params, param, values } = insertion(NOTES, 2, ['hash']);
  expect(names).toEqual(['owner_id', 'words', 'at']);
  expect(params).toBe('$2::uuid, $3::text[], $4::timestamptz(3)');
  expect(param('at')).toBe('$4::timestamptz(3)');
  expect(() => param('read')).toThrow('No insert writes the column read.');
  const at = new Date(0);
  expect(values({ at, owner_id: 'o', words: null, read: true })).toEqual(['o', null, at]);
});

test('an update sets what is not undefined, null included', () => {
  expect(assignment(NOTES, { words: null, read: true }, 3)).toEqual({
    set: 'words = $3::text[], read = $4::boolean',
    values: [null, true],
  });
  expect(assignment(NOTES, {}, 3)).toEqual({ set: '', values: [] });
});

test('a conflict replaces all columns but the primary key', () => {
  const replaced = ['owner_id', 'words', 'at', 'read', 'hash'].map((name) => `${name} = excluded.${name}`);
  expect(replacement(NOTES)).toBe(replaced.join(', '));
});
