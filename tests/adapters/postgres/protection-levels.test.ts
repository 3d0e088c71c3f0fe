import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KEPT } from '../../../adapters/postgres/accounts/owner-data.ts';
import { levelOf, PROTECTION, type ProtectionLevel } from '../../../adapters/postgres/protection-levels.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';

let opened: OpenedDatabase;
let columns: readonly Column[];
beforeAll(async () => {
  opened = await onPostgres(1);
  columns = (await opened.owner.query<Column>(COLUMNS)).rows;
});
afterAll(() => opened?.close());

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** Partitions are parts of their tables. */
const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p', 'm') and not c.relispartition`;

/** What its words are for: a column of such a name is never below these levels. */
const BY_NAME: readonly (readonly [RegExp, readonly ProtectionLevel[]])[] = [
  [/(^|_)(secret|password|pending$|code)(_|$)|_hash$|verifier|nonce/, ['hashed', 'sealed', 'brief']],
  [/^(owner_id|agent_id|email.*|network|client)$/, ['personal', 'internal']],
];

/** Hashes and names that open nothing: of what others may see, and of what is no credential. */
const NO_SECRETS = ['workflow_hash', 'record_codes', 'pending_at'];

const SECRET: readonly ProtectionLevel[] = ['hashed', 'sealed'];

/** A slow hash and sealed replies are text; the first is left out of exports by name. */
const SECRET_TEXTS = [
  'owners.password_hash',
  ...['owner_text', 'public_text', 'owner_seal', 'public_seal'].map((c) => `reply_texts.${c}`),
];

test('each table and each column has a level, and no other has one (adapters/postgres/protection-levels.ts)', () => {
  expect(columns.length).toBeGreaterThan(500);
  const tables = new Set(columns.map(({ table }) => table));
  expect(Object.keys(PROTECTION).toSorted()).toEqual([...tables].toSorted());
  const known = new Set(columns.map(({ table, column }) => `${table}.${column}`));
  const excepted = Object.entries(PROTECTION).flatMap(([table, { except }]) =>
    Object.keys(except).map((c) => `${table}.${c}`),
  );
  expect(excepted.filter((name) => !known.has(name))).toEqual([]);
});

test('a column with the name of a secret, or of a person, has no lower level', () => {
  const faults = columns.flatMap(({ table, column }) => {
    const level = levelOf(table, column);
    const wanted = NO_SECRETS.includes(column) ? undefined : BY_NAME.find(([name]) => name.test(column))?.[1];
    return level === null || (wanted && !wanted.includes(level)) ? [`${table}.${column} is ${level}`] : [];
  });
  expect(faults).toEqual([]);
});

test('what is hashed or sealed is bytes, which exports leave out', () => {
  const texts = columns.filter(
    ({ table, column, type }) => SECRET.includes(levelOf(table, column) ?? 'public') && type !== 'bytea',
  );
  expect(texts.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(SECRET_TEXTS.toSorted());
});

test('no export reads a table of which a column is plain for minutes', () => {
  const brief = columns.filter(({ table, column }) => levelOf(table, column) === 'brief').map(({ table }) => table);
  expect(new Set(brief)).toEqual(new Set(['provider_logins']));
  expect(Object.values(KEPT).filter((from) => brief.some((table) => from.includes(`app.${table} `)))).toEqual([]);
});

test('docs/your-data.md explains each level, and leads to this list', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../docs/your-data.md'), 'utf8');
  for (const { level } of Object.values(PROTECTION))
    expect([level, manual.includes(`**${level}**`)]).toEqual([level, true]);
  expect(manual).toContain('../adapters/postgres/protection-levels.ts');
});
