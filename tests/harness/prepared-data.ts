import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { importPackagedData } from '../../adapters/market/files/packaged-data.ts';
import { startEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { SERVICE_ROLE } from '../../infrastructure/embedded-postgres/roles.ts';
import { migrateAll } from './test-server.ts';
import { removeDataDir } from './throwaway-folder.ts';

/** What the first caller of `copyPreparedData` in a run makes, and all of them copy. */
export const PREPARED_DATA_VARIABLE = 'STANCEBOOK_TEST_PREPARED_DATA';

let preparing: Promise<void> | undefined;

/**
 * Makes the data folder of a service that has a migrated database and the packaged bars, by copying it, which takes a
 * tenth of the CPU time of a first start. Tests whose subject is a first start begin without it. @returns the data folder
 */
export async function copyPreparedData(dataDir: string): Promise<string> {
  const prepared = process.env[PREPARED_DATA_VARIABLE] ?? '';
  if (!existsSync(prepared)) preparing ??= prepare(prepared);
  await preparing;
  execFileSync('cp', ['-a', prepared, dataDir]);
  return dataDir;
}

/** Workers may prepare at once: the first one to end wins. */
async function prepare(prepared: string): Promise<void> {
  const own = `${prepared}-${process.pid}`;
  const { url, stop } = await startEmbeddedPostgres({ dataDir: own, log: () => undefined, durable: false });
  await migrateAll(url, SERVICE_ROLE);
  await stop();
  await importPackagedData(join(own, 'bars'));
  try {
    renameSync(own, prepared);
  } catch (error) {
    if (!existsSync(prepared)) throw error;
    removeDataDir(own);
  }
}
