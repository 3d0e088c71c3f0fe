import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { openStorage } from '../compose/open-storage.ts';
import type { Config } from '../config/config.ts';
import type { DatabaseName } from '../database/connect-database.ts';
import { startDatabase } from '../database/database.ts';
import { requireUsableDatabase } from '../database/database-check.ts';
import { joinInstance } from '../embedded-postgres/join-instance.ts';
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
  if (url !== null) return openRunning(url, 'DATABASE_URL', config, log);
  const joined = await joinInstance(config.dataDir, () => startDatabase(config, log));
  if ('running' in joined) return openRunning(joined.running.serviceUrl, 'embedded', config, log);
  const { started } = joined;
  try {
    const storage = await openStorage(started.url, config, log);
    return { storage, close: () => storage.close().finally(() => started.stop()) };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

async function openRunning(url: string, name: DatabaseName, config: Config, log: Logger): Promise<OpenedForCommand> {
  await requireUsableDatabase({ url, name, external: false });
  const storage = await openStorage(url, config, log);
  return { storage, close: () => storage.close() };
}
