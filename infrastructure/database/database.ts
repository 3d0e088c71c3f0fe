import { migrateJobs } from '../../adapters/jobs/migrate-jobs.ts';
import { migrate, SchemaRefused } from '../../adapters/postgres/migrations/migrate.ts';
import type { Config } from '../config/config.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Logger } from '../logging/logger.ts';
import { StartRefused } from '../start-refused.ts';
import { connectDatabase } from './connect-database.ts';
import { type DatabaseCheck, requireUsableDatabase, requireUsableServer, schemaOwner } from './database-check.ts';
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

/**
 * A running, migrated and checked database: the configured one, else the embedded one of the data folder.
 * @throws StartRefused where an operator can remove the cause
 */
export async function startDatabase(config: Config, log: Logger): Promise<RunningDatabase> {
  const { url, migrationUrl, pooled } = config.database;
  if (url !== null) {
    const owner = migrationUrl ?? url;
    await requireUsableServer({ url, external: true, pooled });
    if (owner !== url) await (await connectDatabase(owner, 'MIGRATION_DATABASE_URL')).end();
    await prepare({ url, owner, external: true, pooled }, log);
    await noteSecrets(url, 'DATABASE_URL', config);
    return { url, ownerUrl: owner, exited: new Promise(() => undefined), stop: async () => undefined };
  }
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: (line) => log.info(line) });
  try {
    // Refusals of a password name its file.
    for (const each of [postgres.url, postgres.serviceUrl]) await (await connectDatabase(each, 'embedded')).end();
    await prepare({ url: postgres.serviceUrl, name: 'embedded', owner: postgres.url, external: false }, log);
    await noteSecrets(postgres.serviceUrl, 'embedded', config);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  const { url: ownerUrl, serviceUrl, exited } = postgres;
  return { url: serviceUrl, ownerUrl, exited, stop: () => postgres.stop() };
}

interface Preparation extends DatabaseCheck {
  /** The URL of the schema's owner. */
  readonly owner: string;
}

async function prepare({ owner, ...check }: Preparation, log: Logger): Promise<void> {
  if (owner !== check.url || (await mayMigrate(owner))) await bringUpToDate({ owner, url: check.url }, log);
  await requireUsableDatabase(check);
}

/** Whether there is no schema yet, or the role owns it. A node of another role uses what `migrate` left. */
async function mayMigrate(url: string): Promise<boolean> {
  const client = await connectDatabase(url, 'DATABASE_URL');
  try {
    return (await schemaOwner(client)).owner?.isOwn ?? true;
  } finally {
    await client.end();
  }
}

/**
 * Brings the schema, its functions and the job queue up to this release, as the owner; `url` is that of the service's role.
 * @throws StartRefused where no migration leads from the database to this release
 */
export async function bringUpToDate(
  { owner, url }: Pick<Preparation, 'owner' | 'url'>,
  log: Pick<Logger, 'info' | 'warn'>,
) {
  const serviceRole = decodeURIComponent(new URL(url).username);
  const { ran, functions } = await migrate({ url: owner, serviceRole }).catch((error: unknown) => {
    throw error instanceof SchemaRefused ? new StartRefused(`The database cannot be used:\n- ${error.message}`) : error;
  });
  if (ran.length > 0) log.info('The schema was brought up to date', { count: ran.length });
  if (functions === 'applied') log.info('The functions of the database were replaced by those of this release');
  if (functions === 'newer')
    log.warn('The database has the functions of a newer release; this node leaves them as they are');
  await migrateJobs({ ownerUrl: owner, serviceRole });
  return { ran, functions };
}
