import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { openStorage } from '../compose/open-storage.ts';
import type { Config } from '../config/config.ts';
import type { DatabaseName } from '../database/connect-database.ts';
import { startDatabase } from '../database/database.ts';
import { requireSchemaOwner, requireUsableDatabase } from '../database/database-check.ts';
import { requireNotedSecrets } from '../database/secret-fingerprints.ts';
import { joinInstance } from '../embedded-postgres/join-instance.ts';
import type { Logger } from '../logging/logger.ts';
import type { Command } from './command.ts';

export interface OpenedForCommand {
  readonly storage: PostgresStorage;
  close(): Promise<void>;
}

/**
 * The storage that a command works on: DATABASE_URL, as the owner of the schema MIGRATION_DATABASE_URL, else the embedded
 * database of the service that runs on the data folder. Where none runs, that database is started for as long as the
 * command takes.
 * @throws StartRefused where the role is not the owner of the schema and the command needs it
 */
export async function openForCommand(
  config: Config,
  log: Logger,
  opens: NonNullable<Command['opens']>,
): Promise<OpenedForCommand> {
  const asOwner = opens === 'storage as owner';
  const { url, migrationUrl } = config.database;
  if (url !== null) {
    if (!asOwner) return openRunning(url, 'DATABASE_URL', config, log);
    return openAsOwner(
      migrationUrl ?? url,
      migrationUrl === url ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL',
      config,
      log,
    );
  }
  const joined = await joinInstance(config.dataDir, () => startDatabase(config, log));
  if ('running' in joined) {
    const { url: ownerUrl, serviceUrl } = joined.running;
    return openRunning(asOwner ? ownerUrl : serviceUrl, 'embedded', config, log);
  }
  const { started } = joined;
  try {
    const storage = await openStorage(asOwner ? started.ownerUrl : started.url, config, log);
    return { storage, close: () => storage.close().finally(() => started.stop()) };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** The URL of the owner goes past a pooler in transaction mode, whose server has the settings for the other role. */
async function openAsOwner(url: string, name: DatabaseName, config: Config, log: Logger): Promise<OpenedForCommand> {
  await requireSchemaOwner(url, name);
  return openRunning(url, name, { ...config, database: { ...config.database, pooled: false } }, log);
}

async function openRunning(url: string, name: DatabaseName, config: Config, log: Logger): Promise<OpenedForCommand> {
  await requireUsableDatabase({ url, name, external: false });
  await requireNotedSecrets(url, name, config);
  const storage = await openStorage(url, config, log);
  return { storage, close: () => storage.close() };
}
