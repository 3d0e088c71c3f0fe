import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { isMigrated, migrate } from '../../../../adapters/postgres/migrations/migrate.ts';
import { MIGRATIONS, type Migration } from '../../../../adapters/postgres/migrations/migration-files.ts';
import { requireUsableDatabase } from '../../../../infrastructure/database/database-check.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../../../harness/database.ts';
import { query } from '../../../harness/embedded-instance.ts';

const LEDGER: Migration = {
  name: 'Ledger1700000000001',
  // Long enough for the other nodes to arrive meanwhile.
  sql: `create table public.ledger (id int primary key);
    select pg_sleep(0.2);
    do $$ begin
      execute format('grant insert on public.ledger to %I', current_setting('stancebook.service_role'));
    end $$;`,
};

const BROKEN: Migration = {
  name: 'Broken1700000000002',
  sql: 'insert into public.ledger values (1); select 1 / 0',
};

const ONLINE: Migration = {
  name: 'Online1700000000003',
  sql: `-- Online: a test.
    drop index concurrently if exists public.ledger_ids;
    create index concurrently ledger_ids on public.ledger (id);\n`,
};

let database: TestDatabase;

beforeAll(async () => {
  database = await freshDatabase({ empty: true });
});

afterAll(() => database.drop());

describe('migrate', () => {
  test('runs each migration once though three nodes start at once', async () => {
    const options = {
      url: database.url,
      serviceRole: roleOf(database.serviceUrl),
      release: { migrations: [LEDGER], functions: null },
    };
    const ran = await Promise.all([migrate(options), migrate(options), migrate(options)]);
    expect(ran.flatMap((result) => result.ran)).toEqual(['Ledger1700000000001']);
  });

  test('passes to the migrations the role to grant to', async () => {
    await execute(database.serviceUrl, 'insert into public.ledger values (7)');
    await expect(execute(database.serviceUrl, 'delete from public.ledger')).rejects.toThrow('permission denied');
  });

  test('leaves nothing of a migration that fails', async () => {
    const release = { migrations: [LEDGER, BROKEN], functions: null };
    const serviceRole = roleOf(database.serviceUrl);
    await expect(migrate({ url: database.url, serviceRole, release })).rejects.toThrow('division by zero');
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query('select id from public.ledger order by id');
    await client.end();
    expect(rows).toEqual([{ id: 7 }]);
  });
});

describe('the database is refused', () => {
  const check = (migrations: typeof MIGRATIONS, external = false) =>
    requireUsableDatabase({ url: database.serviceUrl, external, migrations });

  test('when its schema is older than the code', async () => {
    const refused = check([LEDGER, BROKEN]);
    await expect(refused).rejects.toThrow('older than this version of the service: Broken1700000000002 is missing');
  });

  test('when its schema is newer than the code', async () => {
    await expect(check([])).rejects.toThrow('newer than this version of the service, which does not know Ledger');
  });

  test('when it is not ours and would lose what was acknowledged', async () => {
    await execute(database.url, `alter database ${nameOf(database.url)} set synchronous_commit = off`);
    await expect(check([LEDGER], true)).rejects.toThrow('synchronous_commit is off');
    await expect(check([LEDGER])).resolves.toBeUndefined();
  });

  test('when a pooler stands before it and its role does not bring the settings of a session', async () => {
    const migrations = [LEDGER];
    const checked = () =>
      requireUsableDatabase({ url: database.serviceUrl, external: false, pooled: true, migrations });
    const settings = {
      statement_timeout: '15s',
      idle_in_transaction_session_timeout: '30s',
      default_transaction_isolation: 'read committed',
      TimeZone: 'UTC',
      jit: 'off',
    };
    const set = (name: string, value: string) =>
      execute(database.url, `alter database ${nameOf(database.url)} set ${name} = '${value}'`);
    for (const [name, value] of Object.entries(settings)) await set(name, value);
    await expect(checked()).resolves.toBeUndefined();
    await set('default_transaction_isolation', 'serializable');
    await set('statement_timeout', '0');
    const refusal = await checked().catch(String);
    expect(refusal).toContain("alter role ... set statement_timeout = '15s'");
    expect(refusal).toContain("alter role ... set default_transaction_isolation = 'read committed'");
    expect(String(refusal).split('\n')).toHaveLength(3);
  });
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);

test('a fresh database of the tests carries the schema of the code', async () => {
  const fresh = await freshDatabase();
  try {
    const checked = requireUsableDatabase({ url: fresh.serviceUrl, external: false, migrations: MIGRATIONS });
    await expect(checked).resolves.toBeUndefined();
  } finally {
    await fresh.drop();
  }
});

test('a database is migrated where `migrate` has nothing to do, as the role of the service sees it', async () => {
  const fresh = await freshDatabase({ empty: true });
  const serviceRole = roleOf(fresh.serviceUrl);
  const client = new pg.Client(fresh.serviceUrl);
  await client.connect();
  try {
    expect(await isMigrated(client)).toBe(false);
    await migrate({ url: fresh.url, serviceRole });
    expect(await isMigrated(client)).toBe(true);
    for (const change of [
      `revoke select on public.migrations from ${serviceRole}`,
      "update app.applied_functions set hash = 'another'",
    ]) {
      await execute(fresh.url, change);
      expect(await isMigrated(client)).toBe(false);
      await migrate({ url: fresh.url, serviceRole });
      expect(await isMigrated(client)).toBe(true);
    }
    const later = { name: 'Later9999999999999', sql: '' };
    expect(await isMigrated(client, { migrations: [...MIGRATIONS, later], functions: null })).toBe(false);
    expect(await isMigrated(client, { migrations: MIGRATIONS.slice(0, -1), functions: null })).toBe(false);
  } finally {
    await client.end();
    await fresh.drop();
  }
});

test('an index is built online, while transactions write and another node starts', async () => {
  const database = await freshDatabase({ empty: true });
  const serviceRole = roleOf(database.serviceUrl);
  await migrate({ url: database.url, serviceRole, release: { migrations: [LEDGER], functions: null } });
  const writer = new pg.Client(database.serviceUrl);
  await writer.connect();
  await writer.query('begin; insert into public.ledger values (1)');
  const release = { migrations: [LEDGER, ONLINE], functions: null };
  const options = { url: database.url, serviceRole, release };
  const nodes = Promise.all([migrate(options), migrate(options)]);
  const waiting = `select from pg_locks where not granted and pid in
    (select pid from pg_stat_activity where query ilike '%create index concurrently%' and pid <> pg_backend_pid())`;
  while ((await query(database.url, waiting)).length === 0);
  await execute(database.serviceUrl, `set statement_timeout = '5s'; insert into public.ledger values (2)`);
  await writer.query('commit');
  expect((await nodes).flatMap(({ ran }) => ran)).toEqual([ONLINE.name]);
  await writer.end();
  const valid = `select indisvalid from pg_index where indexrelid = 'public.ledger_ids'::regclass`;
  expect(await query(database.url, valid)).toEqual([{ indisvalid: true }]);
  await database.drop();
});

describe('a database of 0.5.0', () => {
  const [baseline = LEDGER, ...since] = MIGRATIONS;
  const NAMES = 'select name from public.migrations order by id';
  let old: TestDatabase;
  beforeEach(async () => {
    old = await freshDatabase({ empty: true });
    await bring([baseline]);
  });
  afterEach(() => old.drop());

  const bring = (migrations: typeof MIGRATIONS) =>
    migrate({ url: old.url, serviceRole: roleOf(old.serviceUrl), release: { migrations, functions: null } });

  test('has the names of the 71 migrations that led to it, as a new one has, and gets those since', async () => {
    const names = await query(old.url, NAMES);
    expect(names).toHaveLength(71);
    expect([names[0], names.at(-1)]).toEqual([{ name: 'First1763700000000' }, { name: baseline.name }]);
    expect((await bring(MIGRATIONS)).ran).toEqual(since.map(({ name }) => name));
    expect((await bring(MIGRATIONS)).ran).toEqual([]);
  });

  test('is refused and stays as it is while the last migration of 0.5.0 is missing', async () => {
    await execute(old.url, `delete from public.migrations where name = '${baseline.name}'`);
    await expect(bring(MIGRATIONS)).rejects.toThrow('start Stancebook 0.5.0 once on it, then this release');
    expect(await query(old.url, NAMES)).toHaveLength(70);
    const checked = requireUsableDatabase({ url: old.serviceUrl, external: false });
    await expect(checked).rejects.toThrow('start Stancebook 0.5.0 once on it, then this release');
  });

  test('is used as it is where a development tree ran each part of the joined migrations, and refused where some', async () => {
    await bring(MIGRATIONS);
    await execute(old.url, `insert into public.migrations (timestamp, name) values (0, 'Notes1763700000129')`);
    expect((await bring(MIGRATIONS)).ran).toEqual([]);
    await expect(requireUsableDatabase({ url: old.serviceUrl, external: false, migrations: MIGRATIONS })).resolves.toBe(
      undefined,
    );
    await execute(old.url, `delete from public.migrations where name = 'BacktestNotes1763700000135'`);
    await expect(bring(MIGRATIONS)).rejects.toThrow('It is of a development tree between 0.5.0 and this release');
    const checked = requireUsableDatabase({ url: old.serviceUrl, external: false });
    await expect(checked).rejects.toThrow('start the last tree that has them apart once on it');
  });

  test('is refused while 0.5.0 has not counted records that are older than its triggers', async () => {
    await execute(old.url, RECORD);
    await expect(bring(MIGRATIONS)).rejects.toThrow('start Stancebook 0.5.0 once on it, then this release');
    await execute(
      old.url,
      `insert into app.applied_functions (edition, hash, applied_at, cells_filled_at) values (49, '', now(), now())`,
    );
    expect((await bring(MIGRATIONS)).ran).toHaveLength(since.length);
  });
});

const RECORD = `
  insert into app.decisions (record_id, owner_id, agent_id, instrument, market, symbol, venue, asset_class, quote_currency,
    submitted_symbol, direction, horizon_kind, horizon_value, analysis_class, data_cutoff, submission_time, submission_origin,
    anchor_time, end_time, settles_at, cohort_key, lifecycle_state)
  select 'dec_20260101_00000001', gen_random_uuid(), 'agt_000000000000', 'crypto:BTC:KRAKEN:spot:USD', 'crypto', 'BTC',
    'KRAKEN', 'spot', 'USD', 'BTC', 'bullish', 'holding_seconds', 3600, 'opinion', at, at, 'realtime', at,
    at + interval '1 hour', at, 'crypto:btc:spot:usd:bullish:intraday:opinion', 'pending_verify'
  from (values (timestamptz '2026-01-01T00:00:00Z')) t(at)`;
