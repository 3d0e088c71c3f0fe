import type pg from 'pg';
import { isMigrated, migrate, SchemaRefused } from '../../adapters/postgres/migrations/migrate.ts';
import type { Config } from '../config/config.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Logger } from '../logging/logger.ts';
import { StartRefused } from '../start-refused.ts';
import { connectDatabase } from './connect-database.ts';
import { type DatabaseCheck, requireUsable, requireUsableServer, schemaOwner } from './database-check.ts';
import { noteSecrets } from './secret-fingerprints.ts';

export interface RunningDatabase {
  /** The URL of the service's role. */
  readonly url: string;
  /** The URL of the schema's owner. */
  readonly ownerUrl: string;
  /** Resolves when the embedded server has ended, for any reason; never for an external server. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL starts, or the secrets are hashed. */
export type LongWait = 'starting' | 'hashing';

/**
 * A running, migrated and checked database: the configured one, else the embedded one of the data folder.
 * @param meanwhile called once at each of the long waits, for work that needs no database
 * @throws StartRefused where an operator can remove the cause
 */
export async function startDatabase(
  config: Config,
  log: Logger,
  meanwhile: (wait: LongWait) => unknown = () => undefined,
): Promise<RunningDatabase> {
  const { url, migrationUrl, pooled } = config.database;
  const hashing = () => meanwhile('hashing');
  if (url !== null) {
    meanwhile('starting');
    const owner = migrationUrl ?? url;
    await requireUsableServer({ url, external: true, pooled });
    if (owner !== url) await (await connectDatabase(owner, 'MIGRATION_DATABASE_URL')).end();
    await prepare({ url, owner, external: true, pooled }, config, log, hashing);
    return { url, ownerUrl: owner, exited: new Promise(() => undefined), stop: async () => undefined };
  }
  const { dataDir } = config;
  const starting = () => meanwhile('starting');
  const postgres = await startEmbeddedPostgres({ dataDir, log: (line) => log.info(line), meanwhile: starting });
  try {
    const check = { url: postgres.serviceUrl, name: 'embedded', external: false } as const;
    await prepare({ ...check, owner: postgres.url }, config, log, hashing);
  } catch (error) {
    // A refusal of a password names its file.
    const refusal = await connectionFault([postgres.url, postgres.serviceUrl]);
    await postgres.stop();
    throw refusal ?? error;
  }
  const { url: ownerUrl, serviceUrl, exited } = postgres;
  return { url: serviceUrl, ownerUrl, exited, stop: () => postgres.stop() };
}

interface Preparation extends DatabaseCheck {
  /** The URL of the schema's owner. */
  readonly owner: string;
}

async function connectionFault(urls: readonly string[]): Promise<unknown> {
  for (const url of urls) {
    try {
      await (await connectDatabase(url, 'embedded')).end();
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

/**
 * The schema first, unless it is that of this release already; then the queues, while the database and its secrets are
 * judged.
 */
async function prepare(
  { owner, ...check }: Preparation,
  config: Config,
  log: Logger,
  hashing: () => unknown,
): Promise<void> {
  const { url, name = 'DATABASE_URL' } = check;
  let client = await connectDatabase(url, name);
  try {
    const mayChange = owner !== url || (await mayMigrate(client));
    if (mayChange && !(await isMigrated(client))) {
      // Migrations may take longer than an idle connection lasts.
      await client.end();
      await bringSchemaUpToDate({ owner, url }, log);
      client = await connectDatabase(url, name);
    }
    const judge = async () => {
      await requireUsable(client, check);
      await noteSecrets(client, config, hashing);
    };
    const [judged, queues] = await Promise.allSettled([judge(), mayChange && bringQueuesUpToDate({ owner, url })]);
    for (const each of [judged, queues]) if (each.status === 'rejected') throw each.reason;
  } finally {
    await client.end();
  }
}

/** Whether there is no schema yet, or the role owns it. A node of another role uses what `migrate` left. */
async function mayMigrate(client: pg.Client): Promise<boolean> {
  return (await schemaOwner(client)).owner?.isOwn ?? true;
}

/**
 * Brings the schema, its functions and the job queue up to this release, as the owner; `url` is that of the service's role.
 * @throws StartRefused where no migration leads from the database to this release
 */
export async function bringUpToDate(urls: Urls, log: Pick<Logger, 'info' | 'warn'>) {
  const changed = await bringSchemaUpToDate(urls, log);
  await bringQueuesUpToDate(urls);
  return changed;
}

type Urls = Pick<Preparation, 'owner' | 'url'>;

async function bringSchemaUpToDate({ owner, url }: Urls, log: Pick<Logger, 'info' | 'warn'>) {
  const { ran, functions } = await migrate({ url: owner, serviceRole: roleOf(url) }).catch((error: unknown) => {
    throw error instanceof SchemaRefused ? new StartRefused(`The database cannot be used:\n- ${error.message}`) : error;
  });
  if (ran.length > 0) log.info('The schema was brought up to date', { count: ran.length });
  if (functions === 'applied') log.info('The functions of the database were replaced by those of this release');
  if (functions === 'newer')
    log.warn('The database has the functions of a newer release; this node leaves them as they are');
  return { ran, functions };
}

async function bringQueuesUpToDate({ owner, url }: Urls): Promise<void> {
  const { migrateJobs } = await import('../../adapters/jobs/migrate-jobs.ts');
  await migrateJobs({ ownerUrl: owner, serviceRole: roleOf(url) });
}

function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
