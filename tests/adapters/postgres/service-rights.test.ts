import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { replacement } from '../../../adapters/postgres/entities/columns.ts';
import { SERVICE_PROCESSES } from '../../../adapters/postgres/entities/processes.ts';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import type { KeyChanges } from '../../../domain/accounts/keys/api-key.ts';
import type { WebhookSettings } from '../../../domain/webhooks/webhook.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../../harness/database.ts';

const POSTGRES = join(import.meta.dirname, '../../../adapters/postgres');

/** The columns that the service may update: those that a statement sets. */
const UPDATED: Readonly<Record<string, readonly string[]>> = {
  agent_counts: ['cached_at', 'tallies'],
  // A lock of the row needs the right to one column.
  agents: ['archived_at'],
  api_key_uses: ['last_used_at', 'network'],
  api_keys: [
    'admitted',
    'allowed_networks',
    'expiry_noted',
    'minute_used',
    'permission_mode',
    'revoked_at',
    'second_start',
    'second_used',
  ],
  atlas: [
    'generated_at',
    'min_producers',
    'min_samples',
    'network_of_all',
    'network_of_realtime',
    'owner_proof',
    'records',
  ],
  backtest_documents: ['last_error', 'outcome'],
  backtest_instruments: ['due_at', 'lease_until', 'token'],
  backtest_rows: [
    ...['attempts', 'due_at', 'end_time', 'known_at', 'move', 'planned_end', 'record_group', 'settles_at', 'ungraded'],
  ],
  backtest_sets: ['bytes', 'removed_at', 'rows'],
  circuit_monitors: ['above_since', 'at_once', 'below_since', 'looked_at', 'trip_since'],
  cooldowns: ['last_at', 'record_id'],
  decision_notes: ['text'],
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
  device_sign_ins: ['lease_token', 'lease_until', 'next_poll_at', 'owner_id', 'poll_every', 'status'],
  expiry_passes: ['began_at', 'clean_until', 'deleted', 'page'],
  faulty_records: ['noted_at', 'parts'],
  idempotency: ['created_at', 'fingerprint', 'record_id'],
  instrument_refreshes: ['requested_at'],
  instruments: ['attempts', 'checked_at', 'history_from', 'last_error', 'listing', 'retry_at', 'status'],
  job_runs: ['failures', 'last_error', 'last_failed_at', 'last_started_at', 'last_succeeded_at'],
  kept_days: ['bytes', 'kept', 'most', 'most_bytes'],
  limits_floor: ['at'],
  log_bundles: ['leaves'],
  log_checkpoints: ['key_id', 'served_from', 'signature', 'signed_at', 'witnessed_at'],
  log_tiles: ['hashes'],
  log_witnesses: ['cosigned_at', 'refused', 'signature', 'size'],
  login_attempts: ['used', 'window_start'],
  mails: ['attempts', 'content', 'due_at', 'ended_at', 'failure', 'owner_id', 'status', 'token'],
  one_time_links: ['bound_to', 'created_at', 'expires_at', 'mailed', 'token_hash'],
  owners: ['email_confirmed_at', 'events_read', 'password_hash', 'preferences'],
  question_counts: ['asked'],
  quota_days: ['base', 'credit', 'taken', 'used'],
  rate_windows: ['admitted', 'minute_start', 'minute_used', 'second_start', 'second_used'],
  record_links: ['is_shown'],
  reply_texts: ['owner_text', 'public_text', 'read_at'],
  retroactive_days: ['used'],
  security_events: ['count', 'last_at'],
  service_minutes: ['disk_free', 'due', 'durations', 'log_size', 'log_waits', 'processes'],
  service_processes: [
    ...[
      'answers_requests',
      'connections',
      'disk',
      'faulty_records',
      'release',
      'reported_at',
      'running',
      'runs_jobs',
      'signing',
      'started_at',
    ],
  ],
  sessions: ['last_seen_at'],
  submit_hours: ['bytes', 'used'],
  agent_submissions: ['bytes', 'hour', 'number', 'used'],
  symbol_files: ['created_at', 'stored_at', 'symbols'],
  symbols: ['delisted_at', 'listed_since'],
  passkeys: ['counter', 'last_used_at', 'name', 'synced'],
  totp_secrets: ['confirmed_at', 'last_step', 'pending', 'pending_at', 'secret'],
  track_cells: ['first', 'last', 'n'],
  webhook_deliveries: ['attempts', 'due_at', 'status', 'step', 'token'],
  webhooks: [
    ...['description', 'event_types', 'failing_since', 'failures', 'former_secret', 'former_until', 'history'],
    ...['position', 'secret', 'seq', 'status', 'url', 'waits_until'],
  ],
  workflow_cells: ['last', 'n'],
  workflows: [
    'description',
    'edges',
    'listed_seq',
    'name',
    'name_folded',
    'nodes',
    'tags',
    'updated_at',
    'version',
    'visibility',
  ],
};

/** Those that owners may change, which `assignment` and updates of an entity take from their types. */
const CHANGED: {
  readonly api_keys: readonly (keyof KeyChanges)[];
  readonly webhooks: readonly (keyof WebhookSettings)[];
} = {
  api_keys: ['allowed_networks', 'permission_mode'],
  webhooks: ['description', 'event_types', 'url'],
};

/** Those that functions set with the rights of the schema's owner: functions/accounts.sql. */
const SET_AS_OWNER = ['api_keys.suspended', 'owners.suspended_at', 'owners.tier'];

/** Called by functions that run as the owner of the schema; a call by the service is refused where they write. */
const CALLED_AS_OWNER = [
  ...['insert_cells', 'recount_cell', 'recount_cells', 'grade_cells', 'begin_cells', 'move_some', 'note_removals'],
];

/** What cohorts are counted from. */
const COUNTED_FROM = ['cohort_cells', 'cohort_tail', 'cohort_rollups', 'cohort_removals'];

/** What functions of 0.5.0 set until those of this release are applied, in the seconds after its migrations. */
const SET_BEFORE = ['submit_hours.bytes', 'submit_hours.used'];
const USED_BEFORE = ['insert on submit_hours', 'update on submit_hours'];

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
  expect(rows.map(({ may }) => may)).toEqual([...rightsUsed(), ...USED_BEFORE].toSorted());
});

test('it may update the columns that a statement sets, and no other', async () => {
  const { rows } = await client.query<{ of: string; columns: string[] }>(COLUMNS, [roleOf(database.serviceUrl)]);
  expect(Object.fromEntries(rows.map(({ of, columns }) => [of, columns]))).toEqual(UPDATED);
  const updated = Object.entries(UPDATED).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));
  const byService = columnsSet().filter((column) => !SET_AS_OWNER.includes(column));
  expect([...byService, ...SET_BEFORE].toSorted()).toEqual(updated.toSorted());
});

test('it owns nothing, and may truncate, refer to or put a trigger on no table', async () => {
  const { rows } = await client.query(OTHERS, [roleOf(database.serviceUrl)]);
  expect(rows).toEqual([]);
});

test('it reads all tables and views, no sequence, and no partition but through its table', async () => {
  const { rows } = await client.query(SELECTS, [roleOf(database.serviceUrl)]);
  expect(rows).toEqual([]);
});

test('it may call the functions that statements, other functions and constraints call, and no other', async () => {
  const { rows } = await client.query<{ name: string; may: boolean }>(FUNCTIONS, [roleOf(database.serviceUrl)]);
  const text = [...sources(), readFileSync(join(POSTGRES, 'schema.sql'), 'utf8')].join('\n');
  // Procedures are called by the owner of the schema.
  const isCalled = (name: string) =>
    new RegExp(`(?<!(function|aggregate|procedure|call) )app\\.${name}\\b`, 'i').test(text);
  const called = rows.filter(({ name }) => isCalled(name));
  expect(rows.filter(({ may }) => may)).toEqual(called.map((each) => ({ ...each, may: true })));
});

test('no function of the schema can be called by every role', async () => {
  const { rows } = await client.query(PUBLIC);
  expect(rows).toEqual([]);
});

test.each([
  ['rename an agent', `update app.agents set name = 'other'`],
  ['give a refresh another job', 'update app.instrument_refreshes set job_id = gen_random_uuid()'],
  ['make an owner an admin', `update app.owners set role = 'admin'`],
  ['add an admin', `insert into app.owners (owner_id, role, created_at) values (gen_random_uuid(), 'admin', now())`],
  ['give a tier', `update app.owners set tier = 'pro'`],
  [
    'add an owner with a tier',
    `insert into app.owners (owner_id, tier, created_at) values (gen_random_uuid(), 'pro', now())`,
  ],
  ['remove an owner', 'delete from app.owners'],
  ['suspend an owner or end that', 'update app.owners set suspended_at = null'],
  ['mark a key as suspended', 'update app.api_keys set suspended = true'],
  ['make a table', 'create table app.mine ()'],
])('it cannot %s', async (_, statement) => {
  await expect(execute(database.serviceUrl, statement)).rejects.toMatchObject({ code: '42501' });
});

test.each(COUNTED_FROM)('it adds and removes no row of %s, and updates no column, as its owner can', async (table) => {
  const { rows } = await client.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0',
    [`app.${table}`],
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const statement of [
    `insert into app.${table} select * from app.${table} where false`,
    `delete from app.${table} where false`,
    ...rows.map(({ name }) => `update app.${table} set ${name} = ${name} where false`),
  ]) {
    await expect(execute(database.serviceUrl, statement)).rejects.toMatchObject({ code: '42501' });
    await execute(database.url, statement);
  }
});

test.each([
  ['recount_cells', `select app.recount_cells(d) from (select (null::app.decisions).*) d`],
  ['recount_cell', 'select app.recount_cell(r, null::app.decisions) from app.cohort_rollups r where rollup = 1'],
  ['insert_cells', 'select app.insert_cells(r, null::app.decisions) from app.cohort_rollups r where rollup = 1'],
  ['grade_cells', 'select app.grade_cells(r, null::app.decisions) from app.cohort_rollups r where rollup = 1'],
  ['note_removals', `select app.note_removals('{crypto}')`],
  ['begin_cells', 'select app.begin_cells(r, null::app.decisions) from app.cohort_rollups r where rollup = 1'],
])('what writes cells for others is refused: %s', async (_, statement) => {
  await expect(execute(database.serviceUrl, statement)).rejects.toMatchObject({ code: '42501' });
});

test('no function that changes cohort cells takes a count of them, and each that the service calls runs as the owner', async () => {
  const { rows } = await client.query<{ name: string; takes: string }>(
    `select p.proname as name, pg_get_function_identity_arguments(p.oid) as takes from pg_proc p
    where p.pronamespace = 'app'::regnamespace and p.prosecdef
      and p.prosrc ~ 'insert_cells|recount_cells?|grade_cells|begin_cells|(into|update|from) app.cohort_cells'
    order by 1`,
  );
  expect(Object.fromEntries(rows.map(({ name, takes }) => [name, takes]))).toEqual({
    count_in_cohorts: '',
    // Ids, and what has to follow from the outcomes of these.
    count_moves: 'ids text[], ranges smallint[]',
    // How many records at the most, and from how many on.
    extend_rollups: 'records bigint',
    fold_cohorts: 'batch integer',
    // Ids, and what has to follow from the names.
    move_by_names:
      'ids text[], symbols text[], wrong boolean[], at_once integer, OUT changed integer, OUT refused text[], OUT faults text[]',
    rebuild_cohort_cells: '',
  });
});

test('it cannot restore a revoked key', async () => {
  await execute(
    database.url,
    `with owner as (insert into app.owners (owner_id, created_at) values (gen_random_uuid(), now()) returning owner_id)
    insert into app.api_keys (key_prefix, key_hash, owner_id, permission_mode, created_at, revoked_at)
    select 'sbk_revoked0', sha256('key'), owner_id, 'read_only', now(), now() from owner`,
  );
  const restore = 'update app.api_keys set revoked_at = null';
  await expect(execute(database.serviceUrl, restore)).rejects.toMatchObject({ code: '42501' });
  await execute(database.serviceUrl, `update app.api_keys set permission_mode = 'read_write', admitted = 1`);
  await execute(database.url, restore);
});

test('it controls accounts as an admin alone, never the account of one, and only with an entry of the audit log', async () => {
  const [admin, plain, other] = ['a', 'b', 'c'].map((digit) => `0193a1c0-7c00-7a3b-8c4d-${digit.repeat(12)}`);
  await execute(
    database.url,
    `insert into app.owners (owner_id, role, created_at)
      values ('${admin}', 'admin', now()), ('${plain}', 'owner', now()), ('${other}', 'admin', now())`,
  );
  const refused = { code: '42501' };
  const entry = (actor: string | undefined, subject: string | undefined) =>
    `insert into app.audit_log (actor, action, subject, detail) values ('${actor}', 'set_tier', '${subject}', '{}')`;
  const sets = (account: string | undefined, actor: string | undefined, more: string) =>
    execute(database.serviceUrl, `begin; select app.admin_sets_tier('${account}', 'pro', '${actor}'); ${more}; commit`);
  await expect(sets(plain, plain, entry(plain, plain))).rejects.toMatchObject(refused);
  await expect(sets(other, admin, entry(admin, other))).rejects.toMatchObject(refused);
  await expect(sets(admin, admin, entry(admin, admin))).rejects.toMatchObject(refused);
  await expect(sets(plain, admin, 'select')).rejects.toMatchObject(refused);
  await expect(sets(plain, admin, entry(other, plain))).rejects.toMatchObject(refused);
  await expect(sets(plain, admin, entry(admin, other))).rejects.toMatchObject(refused);
  await sets(plain, admin, entry(admin, plain));
});

test('the owner of the schema can', async () => {
  await execute(
    database.url,
    `insert into app.owners (owner_id, role, tier, created_at)
    values (gen_random_uuid(), 'admin', 'pro', now())`,
  );
});

test('a service that connects as the owner of the schema keeps all rights, also when functions are applied again', async () => {
  const single = await freshDatabase({ empty: true });
  try {
    const options = { url: single.url, serviceRole: roleOf(single.url) };
    await migrate(options);
    await execute(single.url, 'delete from app.applied_functions');
    expect((await migrate(options)).functions).toBe('applied');
    await execute(
      single.url,
      `insert into app.owners (owner_id, role, created_at) values (gen_random_uuid(), 'admin', app.now())`,
    );
    await execute(single.url, `update app.owners set tier = 'pro'; delete from app.owners`);
  } finally {
    await single.drop();
  }
});

/** `insert on owners` and so on, as the SQL and the repositories of the sources use them; locks of rows need `update`. */
function rightsUsed(): readonly string[] {
  // The agents whose counts are made again are locked behind a subquery, which the pattern of locks does not find.
  const used = new Set<string>(['update on agents']);
  const note = (right: string, table: string | undefined) => void (table && used.add(`${right} on ${table}`));
  for (const text of sources().map(withoutDefiners)) {
    for (const [, table] of text.matchAll(/insert into app\.(\w+)/g)) note('insert', table);
    for (const [, table] of text.matchAll(/insert into app\.(\w+)(?:(?!insert into app\.)[\s\S])*?do update/g))
      note('update', table);
    for (const [, table] of text.matchAll(/\bupdate app\.(\w+)/g)) note('update', table);
    for (const [, table] of text.matchAll(/delete from app\.(\w+)/g)) note('delete', table);
    // See kit/expired-rows.ts.
    for (const [, table] of text.matchAll(/(?:\btable: |olderThan\()'(\w+)'/g)) note('delete', table);
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

/** `owners.preferences` and so on: what the SQL of the sources sets, and what the file of an entity's update names. */
function columnsSet(): readonly string[] {
  const set = new Set<string>();
  for (const source of sources()) {
    const text = withoutDefiners(source).replaceAll(/\$\{replacement\((\w+)\)\}/g, (_, entity) => replaced(entity));
    const updates = [
      ...text.matchAll(/update app\.(\w+)(?: \w+)?\s+set\s+(.*?)(?=\b(?:where|from|returning)\b|[`;])/gs),
      ...text.matchAll(
        /insert into app\.(\w+)(?:(?!insert into app\.).)*?do update\s+set\s+(.*?)(?=\b(?:where|returning)\b|[`;)]\s)/gs,
      ),
    ];
    for (const [, table, list = ''] of updates) {
      for (const [, column] of list.matchAll(/(?:^|,)\s*(\w+) = /g)) set.add(`${table}.${column}`);
      for (const column of /^\(([\w, ]+)/.exec(list)?.[1]?.split(', ') ?? []) set.add(`${table}.${column}`);
    }
    for (const [, entity = ''] of text.matchAll(/(?:\bupdate|\bassignment|\.into)\((\w+)[,)]/g)) {
      const table = tableOf(entity) ?? '';
      for (const column of new Map<string, readonly string[]>(Object.entries(CHANGED)).get(table) ?? [])
        set.add(`${table}.${column}`);
      for (const column of UPDATED[table] ?? [])
        if (new RegExp(`\\b${column}\\b`).test(text)) set.add(`${table}.${column}`);
    }
  }
  return [...set];
}

/** What a statement of an entity sets, as it stands in that statement. @throws Error for an entity that is not known here */
function replaced(entity: string): string {
  if (entity === 'SERVICE_PROCESSES') return replacement(SERVICE_PROCESSES);
  throw new Error(`This test does not know what replacement(${entity}) sets.`);
}

/** Without what runs as the owner of the schema. */
function sources(): readonly string[] {
  const files = readdirSync(POSTGRES, { recursive: true, encoding: 'utf8' });
  return files
    .filter(
      (file) =>
        !/^(migrations|schema\.sql|after-restore\.sql|functions\/apply-functions|accounts\/owner-administration)/.test(
          file,
        ) && /\.(ts|sql)$/.test(file),
    )
    .map((file) => readFileSync(join(POSTGRES, file), 'utf8'));
}

function withoutDefiners(text: string): string {
  const [first = '', ...functions] = text.split(/^(?=create or replace function)/m);
  return [
    first,
    ...functions.filter(
      (source) =>
        !/\$\$;?$[\s\S]*security definer|^security definer/m.test(source) &&
        !CALLED_AS_OWNER.some((name) => source.startsWith(`create or replace function app.${name}(`)),
    ),
  ].join('');
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

const SELECTS = `
  select relname, relkind from pg_class c where c.relnamespace = 'app'::regnamespace
    and (c.relkind in ('r', 'p', 'v') and has_table_privilege($1, c.oid, 'select') = c.relispartition
      or c.relkind = 'S' and has_sequence_privilege($1, c.oid, 'usage, select, update'))`;

const FUNCTIONS = `
  select p.proname as name, has_function_privilege($1, p.oid, 'execute') as may
  from pg_proc p where p.pronamespace = 'app'::regnamespace order by p.proname`;

const PUBLIC = `
  select p.proname from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
  where p.pronamespace = 'app'::regnamespace and g.grantee = 0`;
