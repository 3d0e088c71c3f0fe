import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrateJobs } from '../../adapters/jobs/migrate-jobs.ts';
import { migrate } from '../../adapters/postgres/migrations/migrate.ts';
import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { openStorage } from '../compose/open-storage.ts';
import type { Config } from '../config/config.ts';
import { connectDatabase } from '../database/connect-database.ts';
import { requireUsableDatabase } from '../database/database-check.ts';
import { createLogger } from '../logging/logger.ts';
import { operatorName } from '../operator-name.ts';
import type { OpenedServer } from './open-server.ts';
import { newestProgram, type PostgresProgram, programFor, runOnDatabase, runProgram } from './write-dump.ts';

const AFTER_RESTORE = fileURLToPath(new URL('../../adapters/postgres/after-restore.sql', import.meta.url));

/** The file is no backup, or one that cannot be restored on this server. */
export class UnusableBackup extends Error {
  override readonly name = 'UnusableBackup';
}

/**
 * Restores a dump into the database of `ownerUrl`, in one transaction: a restore that fails leaves it as it was.
 * @returns what pg_restore printed; empty unless something is wrong
 * @throws UnusableBackup, and Error when there is no file, no pg_restore fits, or the database is not empty
 */
export async function restoreDump(server: OpenedServer, file: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const program = await restoreProgram(server.major, file, env);
  await requireEmpty(server);
  // The cluster that the dump is of may have other tablespaces.
  const args = ['--no-owner', '--no-tablespaces', '--single-transaction', resolve(file)];
  const { code, complaints } = await runOnDatabase(program, server.ownerUrl, args, { env });
  if (code === 0) return complaints;
  const isRoleMissing = /role "[^"]*" does not exist/.test(complaints);
  const advice = isRoleMissing ? '\nCreate the roles first (docs/running.md, On your own PostgreSQL).' : '';
  throw new UnusableBackup(`pg_restore failed and changed nothing:\n${complaints}${advice}`);
}

/**
 * Brings a restored database to the schema of this release, and makes its rows valid in their new cluster.
 * @throws StartRefused when the dump is of a newer release
 */
export async function prepareRestored({ ownerUrl, ownerName, serviceUrl }: OpenedServer): Promise<void> {
  const serviceRole = decodeURIComponent(new URL(serviceUrl).username);
  await migrate({ url: ownerUrl, serviceRole });
  await migrateJobs({ ownerUrl, serviceRole });
  await requireUsableDatabase({ url: ownerUrl, name: ownerName, external: false });
  const client = await connectDatabase(ownerUrl, ownerName);
  try {
    await client.query(await readFile(AFTER_RESTORE, 'utf8'));
  } finally {
    await client.end();
  }
}

/**
 * A pg_restore reads the files of older and equal versions of pg_dump. One of the server's own version is best: later
 * ones send settings that an older server does not know.
 */
async function restoreProgram(major: number, file: string, env: NodeJS.ProcessEnv): Promise<PostgresProgram> {
  const newest = await newestProgram('pg_restore', env);
  const { code, output, complaints } = await runProgram(newest, ['--list', resolve(file)], { env });
  if (/unsupported version/.test(complaints))
    throw new Error(
      `${file} was written by a later version than pg_restore ${newest.major}: on Debian install the ` +
        'postgresql-client of the version that wrote it.',
    );
  if (code !== 0) throw new UnusableBackup(`pg_restore ${newest.major} cannot read ${file}: ${complaints}`);
  const [, dumped] = /Dumped by pg_dump version: (\d+)/.exec(output) ?? [];
  return programFor('pg_restore', { oldest: Number(dumped ?? major), best: major }, env);
}

async function requireEmpty({ ownerUrl, ownerName }: OpenedServer): Promise<void> {
  const client = await connectDatabase(ownerUrl, ownerName);
  try {
    const { rows } = await client.query<{ name: string }>(`
      select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
        and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
      union all
      select nspname from pg_namespace where nspname in ('app', 'pgboss')`);
    if (rows.length === 0) return;
    const place =
      ownerName === 'embedded' ? 'set DATA_DIR to a new folder' : 'create a new one, and name it in the variables';
    throw new Error(`The database is not empty, and a restore never replaces data: ${place}.`);
  } finally {
    await client.end();
  }
}

/** One action for each command; the action is its own subject, so that its newest entry is found at once. */
type BackupAction = 'backup' | 'check_backup' | 'restore';

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
