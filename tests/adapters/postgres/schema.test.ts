import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { describeSchema, SCHEMA_HEAD } from '../../../scripts/schema/describe-schema.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../../harness/database.ts';

const SCHEMA = join(import.meta.dirname, '../../../adapters/postgres/schema.sql');
const RELEASES = join(import.meta.dirname, '../../fixtures/releases');
const releases = readdirSync(RELEASES).flatMap((file) => /^(.*)\.sql\.gz$/.exec(file)?.[1] ?? []);

async function described({ url, serviceUrl }: TestDatabase, bodies = true): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await describeSchema(client, { ownerRole: roleOf(url), serviceRole: roleOf(serviceUrl), bodies });
  } finally {
    await client.end();
  }
}

let fresh: TestDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('schema.sql is what a fresh database has: node scripts/write-schema.ts writes it', async () => {
  expect(readFileSync(SCHEMA, 'utf8')).toBe(SCHEMA_HEAD + (await described(fresh, false)));
});

test.each(releases)('a database of release %s is brought to the same objects as a fresh one', async (release) => {
  const old = await freshDatabase({ empty: true });
  try {
    await execute(old.url, gunzipSync(readFileSync(join(RELEASES, `${release}.sql.gz`))).toString());
    await migrate({ url: old.url, serviceRole: roleOf(old.serviceUrl) });
    expect(await described(old)).toBe(await described(fresh));
  } finally {
    await old.drop();
  }
});

/** Each a change that an upgrade could miss. */
const CHANGES = {
  'a column': 'alter table app.owners add column extra int',
  'the type of a column': 'alter table app.bar_stretches alter column bars type varchar(9)',
  'a default': `alter table app.owners alter column tier set default 'pro'`,
  nullability: 'alter table app.workflows alter column name drop not null',
  'the step of an identity': 'alter table app.events alter column seq set increment by 1',
  'a collation': 'alter table app.symbols alter column symbol type text collate "C"',
  'a constraint': 'alter table app.quota_days drop constraint quota_days_used_check',
  'an index': 'drop index app.decisions_due',
  'the order of an index': 'drop index app.decisions_due; create index decisions_due on app.decisions (due_at desc)',
  statistics: 'drop statistics app.symbols_of_markets',
  'a trigger': 'drop trigger show_links on app.decisions',
  'when a trigger fires': 'alter table app.audit_log enable trigger evidence',
  'a storage option': 'alter table app.rate_windows set (fillfactor = 60)',
  'a grant on a table': 'grant delete on app.audit_log to public',
  'a grant on a column': `do $$ begin
    execute format('grant update (agent_id) on app.decisions to %I', (select r.rolname from pg_class c,
      aclexplode(c.relacl) g join pg_roles r on r.oid = g.grantee where c.oid = 'app.owners'::regclass
      and g.grantee <> c.relowner limit 1)); end $$`,
  'a grant on a function': 'grant execute on function app.now() to public',
  'the body of a function': `create or replace function app.rfc3339(at timestamptz) returns text language sql stable return ''`,
  'a setting of a function': 'alter function app.recount_cells reset all',
  'a view': 'create or replace view app.public_records as select * from app.public_records limit 1',
  'a type': 'alter type app.submission_context add attribute extra int',
  'a comment': `comment on column app.decisions.due_at is 'something else'`,
  'a partition':
    'create table app.parts (at date) partition by range (at); create table app.parts_1 partition of app.parts default',
} as const;

describe('the description differs after a change of', () => {
  test.each(Object.entries(CHANGES))('%s', async (_, change) => {
    const changed = await freshDatabase();
    try {
      await execute(changed.url, change);
      expect(await described(changed)).not.toBe(await described(fresh));
    } finally {
      await changed.drop();
    }
  });
});

test('partitions of one pattern are printed once, whatever their dates', async () => {
  const [one, other] = [await freshDatabase(), await freshDatabase()];
  try {
    const parts = (months: readonly number[]) =>
      `create table app.months (at int) partition by list (at);
       ${months
         .map((month) => `create table app.months_2026_${month} partition of app.months for values in (${month});`)
         .join('\n')}`;
    await execute(one.url, parts([1]));
    await execute(other.url, parts([2, 3, 11]));
    expect(await described(other)).toBe(await described(one));
  } finally {
    await one.drop();
    await other.drop();
  }
});
