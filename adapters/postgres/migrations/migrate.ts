import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, type Logger, type MigrationInterface, type QueryRunner } from 'typeorm';
import { applyFunctions, type FunctionsState } from '../functions/apply-functions.ts';
import { type DatabaseFunctions, FUNCTIONS } from '../functions/function-files.ts';
import { isOnline, MIGRATIONS, type Migration } from './migration-files.ts';

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

const THIS_RELEASE: SchemaRelease = { migrations: MIGRATIONS, functions: FUNCTIONS };

const TABLE = 'migrations';
/** Any number that no other advisory lock of the database uses. */
const LOCK = 7_382_614_905;

/**
 * Brings the schema up to the release: runs the migrations that are missing, each in a transaction of its own or online,
 * then replaces the functions where they differ. Safe when several nodes start at once: the second waits for the first and
 * then finds nothing to do. A node of an older release leaves the functions of a newer one as they are.
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
    const { missing } = await schemaDifference(gate, release.migrations);
    const ran = missing.length > 0 ? await runPending(url, serviceRole, release.migrations) : [];
    await gate.query(`grant select on public.${TABLE} to ${pg.escapeIdentifier(serviceRole)}`);
    return { ran, functions: await replaceFunctions(gate, serviceRole, release) };
  } finally {
    await gate.end();
  }
}

/** Never waits in a statement: `create index concurrently` of the node that has the lock would wait for it to end. */
async function lock(gate: pg.ClientBase): Promise<void> {
  const isLocked = async () => (await gate.query(TRY_LOCK, [LOCK])).rows[0]?.locked;
  while (!(await isLocked())) await sleep(LOCK_RETRY);
}

const TRY_LOCK = 'select pg_try_advisory_lock($1) as locked';
/** In ms. */
const LOCK_RETRY = 100;

/** Whether the records that are older than the triggers of the counts are counted: `migrate` ends with it. */
export async function hasFilledCells(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select from app.applied_functions where cells_filled_at is not null');
  return rows.length > 0;
}

/** The migrations of the code that the database lacks, and those it has that this code does not know. */
export interface SchemaDifference {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  /** Whether no migration of any release has run. */
  readonly isNew: boolean;
}

/** Compares the schema's version with the code's; needs nothing but a connection of the service. */
export async function schemaDifference(
  client: pg.ClientBase,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<SchemaDifference> {
  const known = migrations.map(({ name }) => name);
  const applied = await appliedNames(client);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
    isNew: applied.length === 0 && known.length > 0,
  };
}

async function runPending(
  url: string,
  serviceRole: string,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const source = new DataSource({
    type: 'postgres',
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
  const state = await applyFunctions(client, functions, serviceRole);
  if (state !== 'newer') await fillCells(client);
  return state;
}

/**
 * Counts the records that are older than the triggers, once. The triggers are committed, so nodes of an older release go
 * on to write meanwhile.
 */
async function fillCells(client: pg.ClientBase): Promise<void> {
  await client.query(`do $$ begin
    if to_regprocedure('app.rebuild_track_cells()') is not null then
      if exists (select from app.applied_functions where cells_filled_at is null) then
        perform app.rebuild_track_cells();
        update app.applied_functions set cells_filled_at = app.now();
      end if;
    end if;
  end $$`);
}

async function appliedNames(client: pg.ClientBase): Promise<readonly string[]> {
  const table = await client.query('select to_regclass($1) is not null as there', [`public.${TABLE}`]);
  if (!table.rows[0]?.there) return [];
  const { rows } = await client.query<{ name: string }>(`select name from public.${TABLE} order by id`);
  return rows.map(({ name }) => name);
}
