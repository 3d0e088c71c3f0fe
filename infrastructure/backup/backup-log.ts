import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { openStorage } from '../compose/open-storage.ts';
import type { Config } from '../config/config.ts';
import { createLogger } from '../logging/logger.ts';
import { operatorName } from '../operator-name.ts';
import type { OpenedServer } from './open-server.ts';

/** One action for each command; the action is its own subject, so that its newest entry is found at once. */
export type BackupAction = 'backup' | 'check_backup' | 'restore';

/** Writes an entry into the audit log of a database that has the schema of this release. */
export async function logBackup(
  { serviceUrl }: OpenedServer,
  config: Config,
  action: BackupAction,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  await withStorage(serviceUrl, config, ({ audit }) =>
    audit.append({ actor: operatorName(), action, subject: action, detail }),
  );
}

/** Whether the database has the schema of this release; one of another release gets no entries. */
export function canLog({ schema: { missing, unknown } }: OpenedServer): boolean {
  return missing.length + unknown.length === 0;
}

/** Runs the work on a database that has the schema of this release. */
export async function withStorage<Result>(
  url: string,
  config: Config,
  work: (storage: PostgresStorage) => Promise<Result>,
): Promise<Result> {
  const primaryOnly = { ...config, database: { ...config.database, readUrl: null } };
  const storage = await openStorage(url, primaryOnly, createLogger({ level: 'silent', format: 'json' }));
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}
