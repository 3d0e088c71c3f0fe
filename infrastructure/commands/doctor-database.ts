import type pg from 'pg';
import { FUNCTIONS } from '../../adapters/postgres/functions/apply-functions.ts';
import { schemaDifference } from '../../adapters/postgres/migrations/migrate.ts';
import { SECOND } from '../../domain/time.ts';
import { connectDatabase, type DatabaseName, DatabaseUnreachable, messageOf } from '../database/connect-database.ts';
import { type DatabaseCheck, requireUsableServer, schemaOwner } from '../database/database-check.ts';

/** The result of one check of `doctor`. */
export interface DoctorCheck {
  readonly check: string;
  readonly state: 'ok' | 'failed';
  readonly found: string;
  /** What the operator can do; null for a check that is ok. */
  readonly advice: string | null;
}

export function ok(check: string, found: string): DoctorCheck {
  return { check, state: 'ok', found, advice: null };
}

export function failed(check: string, found: string, advice: string): DoctorCheck {
  return { check, state: 'failed', found, advice };
}

/** The findings on one connection, or the reason why there is none. Never throws. */
export async function findingsAt(
  check: string,
  url: string,
  name: DatabaseName,
  findings: (client: pg.Client) => Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> {
  let client: pg.Client;
  try {
    client = await connectDatabase(url, name);
  } catch (error) {
    if (!(error instanceof DatabaseUnreachable)) throw error;
    return [failed(check, error.fault.found, error.fault.advice)];
  }
  try {
    return await findings(client);
  } catch (error) {
    return [failed(check, messageOf(error), 'Report this message: a query of the check failed.')];
  } finally {
    await client.end();
  }
}

/** Checks a database as the service connects to it: settings, schema, functions, clock and rights. Never throws. */
export function databaseFindings(check: DatabaseCheck): Promise<readonly DoctorCheck[]> {
  return findingsAt('database', check.url, check.name ?? 'DATABASE_URL', async (client) => [
    ok('database', await versionOf(client)),
    await usability(check),
    ...(await schemaFindings(client)),
  ]);
}

async function versionOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
  return `PostgreSQL ${rows[0]?.version} answers`;
}

async function usability(check: DatabaseCheck): Promise<DoctorCheck> {
  try {
    await requireUsableServer(check);
    return ok('settings', 'version, encoding and durable settings are as the service needs them');
  } catch (error) {
    return failed('settings', messageOf(error), 'Correct each of these; the service does not start before.');
  }
}

async function schemaFindings(client: pg.Client): Promise<readonly DoctorCheck[]> {
  const { missing, unknown, isNew, refusal } = await schemaDifference(client);
  if (isNew)
    return [failed('schema', 'there are no tables of the service yet', 'Start the service: it runs the migrations.')];
  if (refusal !== null) return [failed('schema', 'no migration leads from it to this release', refusal)];
  if (missing.length > 0) {
    const advice = 'Start the service of this release: it runs the migrations.';
    return [failed('schema', `migrations that are missing: ${missing.join(', ')}`, advice)];
  }
  if (unknown.length > 0) {
    return [failed('schema', `migrations of a newer release: ${unknown.join(', ')}`, 'Update this checkout.')];
  }
  const functions = await functionsFinding(client);
  return [
    ok('schema', 'all migrations of this release, none of a newer one'),
    functions,
    await clockFinding(client),
    await rightsFinding(client),
    // Found by a function, which an earlier release does not have.
    ...(functions.state === 'ok' ? [await monthsFinding(client)] : []),
  ];
}

async function functionsFinding(client: pg.Client): Promise<DoctorCheck> {
  const { rows } = await client.query<{ edition: number; hash: string }>(
    'select edition, hash from app.applied_functions',
  );
  const [applied] = rows;
  if (applied?.hash === FUNCTIONS.hash) return ok('functions', `edition ${applied.edition}, those of this release`);
  const found = `edition ${applied?.edition ?? 'none'}, this release has edition ${FUNCTIONS.edition}`;
  return failed('functions', found, 'Start the service of the newest release on this database.');
}

/** Clocks that NTP keeps differ by far less. */
const CLOCK_TOLERANCE = 2 * SECOND;

async function clockFinding(client: pg.Client): Promise<DoctorCheck> {
  const before = Date.now();
  const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at');
  const after = Date.now();
  const at = rows[0]?.at.getTime() ?? Number.NaN;
  const difference = Math.max(before - at, at - after, 0);
  const text = `this machine and the database differ by ${(difference / SECOND).toFixed(1)} s`;
  if (difference <= CLOCK_TOLERANCE) return ok('clock', text);
  return failed('clock', text, 'Run NTP on both; the service uses the clock of the database.');
}

/** Tables of evidence, where the service may insert and read, and must not change or remove. */
const EVIDENCE = [
  ...['decision_documents', 'decision_outcomes', 'outcome_evidence', 'evidence_bars'],
  ...['workflow_snapshots', 'audit_log'],
] as const;

async function rightsFinding(client: pg.Client): Promise<DoctorCheck> {
  const { rows } = await client.query<{ name: string; usable: boolean; owned: boolean; changeable: boolean }>(
    `select c.relname as name,
      has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert') as usable,
      pg_has_role(c.relowner, 'usage') as owned,
      has_any_column_privilege(c.oid, 'update') or has_table_privilege(c.oid, 'delete, truncate') as changeable
    from pg_class c where c.relnamespace = 'app'::regnamespace and c.relname = any($1) order by c.relname`,
    [EVIDENCE],
  );
  const unusable = rows.filter(({ usable }) => !usable).map(({ name }) => name);
  const open = rows.filter(({ owned, changeable }) => owned || changeable).map(({ name }) => name);
  if (unusable.length > 0) {
    const advice = 'Use the role that MIGRATION_DATABASE_URL granted to, or run the migrations for this one.';
    return failed('rights', `the service cannot read or add to ${unusable.join(', ')}`, advice);
  }
  if (open.length === 0) return ok('rights', 'the service can add evidence and can neither change nor remove it');
  const advice = 'Connect as a second role that does not own the schema (docs/running.md, On your own PostgreSQL).';
  return failed('rights', `the service has rights to change ${open.join(', ')}; only triggers prevent it`, advice);
}

/** Workers make two months ahead, which may take a while: transactions of others come first. */
async function monthsFinding(client: pg.Client): Promise<DoctorCheck> {
  const { rows } = await client.query<{ name: string }>(MISSING_MONTH);
  const [missing] = rows;
  if (!missing) return ok('months', 'records of the next 7 days have partitions');
  const advice = 'Run a worker, and end transactions that last for hours: each minute a worker makes what is missing.';
  return failed('months', `there is no ${missing.name} yet; its records will be in the partition "default"`, advice);
}

const MISSING_MONTH = `
  select whole || to_char(month, '_YYYYMM') as name from app.missing_month()
  where month < app.now() at time zone 'UTC' + interval '7 days'`;

/** Checks that MIGRATION_DATABASE_URL leads to the database of DATABASE_URL, as the owner of its schema. Never throws. */
export function migrationFindings(url: string, serviceUrl: string): Promise<readonly DoctorCheck[]> {
  return findingsAt(MIGRATION, url, 'MIGRATION_DATABASE_URL', (client) =>
    findingsAt(MIGRATION, serviceUrl, 'DATABASE_URL', async (service) => [await migrationFinding(client, service)]),
  );
}

const MIGRATION = 'migration database';

async function migrationFinding(owner: pg.Client, service: pg.Client): Promise<DoctorCheck> {
  if ((await identityOf(owner)) !== (await identityOf(service))) {
    const advice = 'Name the same server and database in both variables.';
    return failed(MIGRATION, 'MIGRATION_DATABASE_URL and DATABASE_URL lead to different databases', advice);
  }
  const { role, owner: schema } = await schemaOwner(owner);
  if (schema === null || schema.isOwn) return ok(MIGRATION, `the database of DATABASE_URL, as ${role}`);
  const advice = 'Use the role that ran the first migrations.';
  return failed(MIGRATION, `the role ${role} does not own the schema, so it cannot run migrations`, advice);
}

/** Two connections have it in common if they lead to one database of one server. */
async function identityOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ identity: string }>(
    `select oid || ' ' || system_identifier || ' ' || pg_is_in_recovery() as identity
    from pg_database, pg_control_system() where datname = current_database()`,
  );
  return rows[0]?.identity ?? '';
}

/** Checks that DATABASE_READ_URL leads to a replica of DATABASE_URL that is not far behind. Never throws. */
export function replicaFindings(url: string, serviceUrl: string): Promise<readonly DoctorCheck[]> {
  return findingsAt(REPLICA, url, 'DATABASE_READ_URL', (replica) =>
    findingsAt(REPLICA, serviceUrl, 'DATABASE_URL', async (primary) => [await replicaFinding(replica, primary)]),
  );
}

const REPLICA = 'replica';

/** Bytes of the log, a segment of it. */
const LONGEST_LAG = 16 * 1024 * 1024;

async function replicaFinding(replica: pg.Client, primary: pg.Client): Promise<DoctorCheck> {
  const there = await positionOf(replica);
  if (!there.standby) {
    const advice = 'Name a streaming replica in DATABASE_READ_URL, or remove the variable.';
    return failed(REPLICA, 'DATABASE_READ_URL leads to a server that is no replica', advice);
  }
  // Read after the position of the replica, so that the primary is never behind it.
  const here = await positionOf(primary);
  const lag = Number(here.position) - Number(there.position);
  if (there.cluster !== here.cluster || lag < 0) {
    const advice = 'Make a replica of the server of DATABASE_URL; until then the primary answers its reads.';
    return failed(REPLICA, 'the replica follows another primary than the server of DATABASE_URL', advice);
  }
  const text = `a replica of the server of DATABASE_URL, ${lag} bytes of the log behind`;
  if (lag <= LONGEST_LAG) return ok(REPLICA, text);
  return failed(REPLICA, text, 'Check pg_stat_replication on the primary, which answers the reads until then.');
}

interface LogState {
  readonly standby: boolean;
  /** Primary and replicas have it in common. */
  readonly cluster: string;
  /** Bytes of the log that are flushed, on a replica those that are replayed. */
  readonly position: string;
}

async function positionOf(client: pg.Client): Promise<LogState> {
  const { rows } = await client.query<LogState>(
    `select pg_is_in_recovery() as standby, system_identifier::text as cluster,
      (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
        - '0/0'::pg_lsn)::text as position
    from pg_control_system()`,
  );
  const [state] = rows;
  if (!state) throw new Error('The server returned no position of its log.');
  return state;
}
