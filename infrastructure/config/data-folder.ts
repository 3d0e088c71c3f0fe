import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Refuses a DATA_DIR without a database, where DATABASE_URL names no other. Reading the configuration would make that
 * folder and new secrets in it.
 */
export function requireDatabaseIn(env: NodeJS.ProcessEnv): void {
  if (env.DATABASE_URL) return;
  const dataDir = resolve(env.DATA_DIR || './data');
  if (!existsSync(join(dataDir, 'postgres'))) throw new Error(`There is no database in ${dataDir}.`);
}
