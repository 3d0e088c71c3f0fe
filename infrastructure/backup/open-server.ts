import { type SchemaDifference, schemaDifference } from '../../adapters/postgres/migrations/migrate.ts';
import type { Config } from '../config/config.ts';
import { connectDatabase, type DatabaseName } from '../database/connect-database.ts';
import { requireUsableServer } from '../database/database-check.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { joinInstance } from '../embedded-postgres/join-instance.ts';

/** A database server as its owner sees it; no migration runs on it. */
export interface OpenedServer {
  readonly ownerUrl: string;
  /** Where `ownerUrl` is from, for messages. */
  readonly ownerName: DatabaseName;
  readonly serviceUrl: string;
  readonly major: number;
  /** When it was opened. */
  readonly schema: SchemaDifference;
  close(): Promise<void>;
}

/**
 * The database of DATABASE_URL, else the one of DATA_DIR, which is started for the time being unless the service runs,
 * and made where DATA_DIR is new.
 * @throws Error that says what an operator can do
 */
export async function openServer(config: Config): Promise<OpenedServer> {
  const { url, migrationUrl } = config.database;
  if (url !== null) {
    await requireUsableServer({ url, external: false });
    const ownerName = migrationUrl === null || migrationUrl === url ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
    return opened({ ownerUrl: migrationUrl ?? url, ownerName, serviceUrl: url, close: async () => undefined });
  }
  const { dataDir } = config;
  const joined = await joinInstance(dataDir, () => startEmbeddedPostgres({ dataDir, log: () => undefined }));
  const { url: ownerUrl, serviceUrl } = 'running' in joined ? joined.running : joined.started;
  const close = async () => ('running' in joined ? undefined : joined.started.stop());
  return opened({ ownerUrl, ownerName: 'embedded', serviceUrl, close });
}

async function opened(server: Omit<OpenedServer, 'major' | 'schema'>): Promise<OpenedServer> {
  try {
    const client = await connectDatabase(server.ownerUrl, server.ownerName);
    try {
      const { rows } = await client.query<{ major: number }>(
        `select current_setting('server_version_num')::int / 10000 as major`,
      );
      return { ...server, major: rows[0]?.major ?? 0, schema: await schemaDifference(client) };
    } finally {
      await client.end();
    }
  } catch (error) {
    await server.close();
    throw error;
  }
}
