import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { openStorage } from '../compose/open-storage.ts';
import type { Config } from '../config/config.ts';
import { startDatabase } from '../database/database.ts';
import { requireUsableDatabase } from '../database/database-check.ts';
import { findEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Logger } from '../logging/logger.ts';

export interface OpenedForCommand {
  readonly storage: PostgresStorage;
  close(): Promise<void>;
}

/**
 * The storage that a command works on: DATABASE_URL, else the embedded database of the service that runs on the data
 * folder. Where none runs, that database is started for as long as the command takes.
 */
export async function openForCommand(config: Config, log: Logger): Promise<OpenedForCommand> {
  const { url } = config.database;
  const running = url ?? findEmbeddedPostgres(config.dataDir)?.serviceUrl ?? null;
  if (running !== null) {
    const name = url === null ? 'embedded' : 'DATABASE_URL';
    await requireUsableDatabase({ url: running, name, external: false });
    const storage = await openStorage(running, config, log);
    return { storage, close: () => storage.close() };
  }
  const database = await startDatabase(config, log);
  try {
    const storage = await openStorage(database.url, config, log);
    return { storage, close: () => storage.close().finally(() => database.stop()) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}
