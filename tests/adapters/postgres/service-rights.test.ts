import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { freshDatabase, roleOf, type TestDatabase } from '../../harness/database.ts';

const POSTGRES = join(import.meta.dirname, '../../../adapters/postgres');

/** Of these tables the service may update some columns alone: those of a progress, and of what owners and operators set. */
const UPDATED: Readonly<Record<string, readonly string[]>> = {
  // A lock of the row needs the right to one column.
  agents: ['name'],
  api_keys: ['permission_mode', 'revoked_at'],
  decisions: [
    ...[
      'archive_reason',
      'archived_at',
      'attempts',
      'cohort_exception',
      'created_regime',
      'directional_return',
      'due_at',
    ],
    ...['end_time', 'eval_token', 'evaluated_at', 'grid', 'last_error', 'lifecycle_state', 'mae', 'mfe', 'move'],
    ...['quarantine_reason', 'quarantined_at', 'raw_return', 'result_bucket', 'settles_at'],
  ],
  log_bundles: ['leaves'],
  log_checkpoints: ['signature'],
  log_tiles: ['hashes'],
  // The role and the tier: the command line has the rights of the service.
  owners: ['password_hash', 'preferences', 'role', 'tier'],
  record_links: ['is_shown'],
};

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test('the service may insert, update and delete where a statement of its sources does, and nowhere else', async () => {
  const { rows } = await client.query<{ may: string }>(RIGHTS, [roleOf(database.serviceUrl)]);
  expect(rows.map(({ may }) => may)).toEqual(rightsUsed().toSorted());
});

test('of some tables it may update some columns alone, each of which a statement sets', async () => {
  const { rows } = await client.query<{ of: string; columns: string[] }>(COLUMNS, [roleOf(database.serviceUrl)]);
  expect(Object.fromEntries(rows.map(({ of, columns }) => [of, columns]))).toEqual(UPDATED);
});

test('it owns nothing, and may truncate, refer to or put a trigger on no table', async () => {
  const { rows } = await client.query(OTHERS, [roleOf(database.serviceUrl)]);
  expect(rows).toEqual([]);
});

/** `insert on owners` and so on, as the SQL and the repositories of the sources use them; locks of rows need `update`. */
function rightsUsed(): readonly string[] {
  // The agents whose counts are made again are locked behind a subquery, which the pattern of locks does not find.
  const used = new Set<string>(['update on agents']);
  const note = (right: string, table: string | undefined) => void (table && used.add(`${right} on ${table}`));
  for (const text of sources()) {
    for (const [, table] of text.matchAll(/insert into app\.(\w+)/g)) note('insert', table);
    for (const [, table] of text.matchAll(/insert into app\.(\w+)(?:(?!insert into app\.)[\s\S])*?do update/g))
      note('update', table);
    for (const [, table] of text.matchAll(/\bupdate app\.(\w+)/g)) note('update', table);
    for (const [, table] of text.matchAll(/delete from app\.(\w+)/g)) note('delete', table);
    for (const [, table] of text.matchAll(
      /from app\.(\w+)(?:(?!\bfrom\b)[^`;])*?for (?:no key update|update|key share|share)\b/g,
    ))
      note('update', table);
    for (const [, right = '', entity = ''] of text.matchAll(/tables\.(insert|update|delete)\((\w+)/g))
      note(right, tableOf(entity));
    for (const [, entity = ''] of text.matchAll(/\.insert\(\)\s*\.into\((\w+)\)/g)) note('insert', tableOf(entity));
    for (const [, entity = ''] of text.matchAll(/\.update\((\w+)\)/g)) note('update', tableOf(entity));
    for (const [, entity = ''] of text.matchAll(/\.delete\(\)\s*\.from\((\w+)\)/g)) note('delete', tableOf(entity));
  }
  return [...used];
}

function sources(): readonly string[] {
  const files = readdirSync(POSTGRES, { recursive: true, encoding: 'utf8' });
  return files
    .filter(
      (file) =>
        !/^(migrations|schema\.sql|after-restore\.sql|functions\/apply-functions)/.test(file) &&
        /\.(ts|sql)$/.test(file),
    )
    .map((file) => readFileSync(join(POSTGRES, file), 'utf8'));
}

/** The table of an entity, by the name of its constant. */
function tableOf(entity: string): string | undefined {
  const all = sources().join('\n');
  return new RegExp(`export const ${entity} = new EntitySchema[^;]*?tableName: '(\\w+)'`).exec(all)?.[1];
}

const GRANTS = `
  select c.relname as name, g.privilege_type as privilege from pg_class c, aclexplode(c.relacl) g
  where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p') and g.grantee = (select oid from pg_roles where rolname = $1)`;

const COLUMN_GRANTS = `
  select c.relname as name, g.privilege_type as privilege, a.attname as column
  from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) g
  where c.relnamespace = 'app'::regnamespace and g.grantee = (select oid from pg_roles where rolname = $1)`;

const RIGHTS = `
  select distinct lower(privilege) || ' on ' || name collate "C" as may from (
    select name, privilege from (${GRANTS}) whole union select name, privilege from (${COLUMN_GRANTS}) part) granted
  where privilege in ('INSERT', 'UPDATE', 'DELETE') order by 1`;

const COLUMNS = `
  select name as of, array_agg("column"::text order by "column") as columns from (${COLUMN_GRANTS}) part
  where privilege = 'UPDATE' group by name order by name`;

const OTHERS = `
  select name, privilege from (${GRANTS}) whole where privilege not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  union all
  select relname, 'owner' from pg_class where relnamespace = 'app'::regnamespace
    and relowner = (select oid from pg_roles where rolname = $1)`;
