import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger, MigrationInterface, QueryRunner } from 'typeorm';
import {
  applyFunctions,
  type DatabaseFunctions,
  FUNCTIONS,
  type FunctionsState,
  hasFunctions,
} from '../functions/apply-functions.ts';
import { isJoined, isOnline, MIGRATIONS, type Migration } from './migration-files.ts';

export interface MigrationOptions {
  /** As the owner of the schema. */
  readonly url: string;
  /** The role that the migrations grant to; they read it as `current_setting('stancebook.service_role')`. */
  readonly serviceRole: string;
  /** What is applied; this release unless given. */
  readonly release?: SchemaRelease;
}

/** The schema of a release. */
export interface SchemaRelease {
  /** In the order of their 13-digit suffixes. */
  readonly migrations: readonly Migration[];
  /** Applied after the migrations; null leaves the database with the functions that the migrations made. */
  readonly functions: DatabaseFunctions | null;
}

export interface MigrationResult {
  /** Names of the migrations that ran. */
  readonly ran: readonly string[];
  readonly functions: FunctionsState;
}

/** No migration leads from the schema to this release. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

const TOO_OLD =
  'Its schema is older than the one that release 0.5.0 left: start Stancebook 0.5.0 once on it, then this release ' +
  '(docs/updating.md).';

const IN_BETWEEN =
  'It is of a development tree between 0.5.0 and this release, whose migrations were joined since: start the last tree ' +
  'that has them apart once on it, then this release (docs/schema-changes.md).';

const THIS_RELEASE: SchemaRelease = { migrations: MIGRATIONS, functions: FUNCTIONS };

const TABLE = 'migrations';
const TABLE_NAME = `public.${TABLE}`;
/** Any number that no other advisory lock of the database uses. */
const LOCK = 7_382_614_905;

/**
 * Brings the schema up to the release: runs the migrations that are missing, each in a transaction of its own or online,
 * then replaces the functions where they differ. Safe when several nodes start at once: the second waits for the first and
 * then finds nothing to do. A node of an older release leaves the functions of a newer one as they are.
 * @throws SchemaRefused and changes nothing where the database is older than the baseline or has part of a joined migration
 */
export async function migrate({
  url,
  serviceRole,
  release = THIS_RELEASE,
}: MigrationOptions): Promise<MigrationResult> {
  const gate = new pg.Client({ connectionString: url });
  // A broken gate fails the next query on it; without a listener it would end the process.
  gate.on('error', () => undefined);
  await gate.connect();
  try {
    await lock(gate);
    const { missing, refusal } = await schemaDifference(gate, release.migrations);
    if (refusal !== null) throw new SchemaRefused(refusal);
    const ran = missing.length > 0 ? await runPending(url, serviceRole, release.migrations) : [];
    await letRead(gate, serviceRole);
    return { ran, functions: await replaceFunctions(gate, serviceRole, release) };
  } finally {
    await gate.end();
  }
}

/** A grant that changes nothing would still wait for the disk, at each start. */
async function letRead(gate: pg.ClientBase, role: string): Promise<void> {
  const { rows } = await gate.query(`select has_table_privilege($1, '${TABLE_NAME}', 'select') as may`, [role]);
  if (!rows[0]?.may) await gate.query(`grant select on ${TABLE_NAME} to ${pg.escapeIdentifier(role)}`);
}

/** Never waits in a statement: `create index concurrently` of the node that has the lock would wait for it to end. */
async function lock(gate: pg.ClientBase): Promise<void> {
  const isLocked = async () => (await gate.query(TRY_LOCK, [LOCK])).rows[0]?.locked;
  while (!(await isLocked())) await sleep(LOCK_RETRY);
}

const TRY_LOCK = 'select pg_try_advisory_lock($1) as locked';
/** In ms. */
const LOCK_RETRY = 100;

/** The migrations of the code that the database lacks, and those it has that this code does not know. */
export interface SchemaDifference {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  /** Whether no migration of any release has run. */
  readonly isNew: boolean;
  /**
   * What to do where no migration leads to the code's version: the baseline, the first migration, is missing though earlier
   * ones ran, 0.5.0 did not end what it began, or a development tree ran part of what is one migration now.
   */
  readonly refusal: string | null;
}

/** Compares the schema's version with the code's; needs nothing but a connection of the service. */
export async function schemaDifference(
  client: pg.ClientBase,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<SchemaDifference> {
  const known = migrations.map(({ name }) => name);
  const applied = await appliedNames(client);
  const [baseline = ''] = known;
  const isBefore = (name: string) => name.slice(-DIGITS) < baseline.slice(-DIGITS);
  const missing = known.filter((name) => !applied.includes(name));
  const isTooOld =
    applied.some(isBefore) && (missing.includes(baseline) || (missing.length > 0 && (await isUnfinished(client))));
  const isPart = (name: string) => isJoined(name) && known.some((later) => later.slice(-DIGITS) > name.slice(-DIGITS));
  const unknown = applied.filter((name) => !known.includes(name) && !isBefore(name));
  return {
    missing,
    unknown: unknown.filter((name) => !isPart(name)),
    isNew: applied.length === 0 && known.length > 0,
    refusal: isTooOld ? TOO_OLD : unknown.some(isPart) && missing.some(isJoined) ? IN_BETWEEN : null,
  };
}

/**
 * Whether `migrate` would find nothing to do, as the service's role sees it on a connection of its own. Most starts find
 * so, and need no connection of the owner.
 */
export async function isMigrated(
  client: pg.ClientBase,
  { migrations, functions }: SchemaRelease = THIS_RELEASE,
): Promise<boolean> {
  const { rows } = await client.query(`select has_table_privilege(to_regclass($1), 'select') as may`, [TABLE_NAME]);
  if (!rows[0]?.may) return false;
  const { missing, unknown } = await schemaDifference(client, migrations);
  if (missing.length > 0 || unknown.length > 0) return false;
  return functions === null || (await hasFunctions(client, functions));
}

/** The digits that order migrations, at the end of their names. */
const DIGITS = 13;

/** Whether 0.5.0 was interrupted before it had counted the records that are older than its triggers. */
async function isUnfinished(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ unfinished: boolean }>(
    `select exists (select from app.decisions)
      and not exists (select from app.applied_functions where cells_filled_at is not null) as unfinished`,
  );
  return rows[0]?.unfinished ?? false;
}

async function runPending(
  url: string,
  serviceRole: string,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  // Most starts run no migration.
  const { DataSource } = await import('typeorm');
  const source = new DataSource({
    type: 'postgres',
    // Named, so that a build can have it: TypeORM would look for the package.
    driver: pg,
    url,
    synchronize: false,
    logger: SILENT,
    poolSize: 1,
    migrations: migrations.map(classOf),
    migrationsTableName: TABLE,
    extra: { options: `-c search_path=public -c stancebook.service_role=${serviceRole.replace(/[\\ ]/g, '\\$&')}` },
  });
  await source.initialize();
  try {
    return (await source.runMigrations({ transaction: 'each' })).map(({ name }) => name);
  } finally {
    await source.destroy();
  }
}

/** TypeORM takes a migration as a class. */
function classOf(migration: Migration): new () => MigrationInterface {
  const { name, sql } = migration;
  const statements = isOnline(migration) ? sql.trim().split(/;\n/) : [sql];
  return class implements MigrationInterface {
    readonly name = name;
    readonly transaction = !isOnline(migration);

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement);
    }

    async down(): Promise<void> {
      throw new Error(`${name} cannot be reverted: restore a backup instead.`);
    }
  };
}

/** A failed migration is thrown; the caller logs it, once. */
const SILENT: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

async function replaceFunctions(
  client: pg.ClientBase,
  serviceRole: string,
  { migrations, functions }: SchemaRelease,
): Promise<FunctionsState> {
  if (functions === null) return 'current';
  const { unknown } = await schemaDifference(client, migrations);
  if (unknown.length > 0) return 'newer';
  return await applyFunctions(client, functions, serviceRole);
}

async function appliedNames(client: pg.ClientBase): Promise<readonly string[]> {
  const table = await client.query('select to_regclass($1) is not null as there', [TABLE_NAME]);
  if (!table.rows[0]?.there) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${TABLE_NAME} order by id`);
  return rows.map(({ name }) => name);
}
