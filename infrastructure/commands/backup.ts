import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { sqlState } from '../../adapters/postgres/kit/sql.ts';
import type { Storage } from '../../application/ports.ts';
import { countedLeaves } from '../../domain/log/leaves/leaf.ts';
import { type OpenedServer, openServer } from '../backup/open-server.ts';
import {
  canLog,
  logBackup,
  prepareRestored,
  restoreDump,
  UnusableBackup,
  withStorage,
} from '../backup/restore-dump.ts';
import { type Dump, writeDump } from '../backup/write-dump.ts';
import { type Config, readConfig } from '../config/config.ts';
import { requireDatabaseIn } from '../config/secret-inventory.ts';
import { connectDatabase } from '../database/connect-database.ts';
import { bringUpToDate } from '../database/database.ts';
import { requireUsableDatabase, requireUsableServer } from '../database/database-check.ts';
import { otherSecrets, replaceNotedSecret, usedSecrets } from '../database/secret-fingerprints.ts';
import { asSent, type ExitCode, FLAG, type OfflineContext, offline, word } from './command.ts';
import { checkEvidenceOn, type EvidenceResult } from './evidence.ts';

const FILE = word('FILE', 'Name one file.', asSent);

/** What keeps a database of any release: its backups, and the schema of this release. */
export const BACKUP_COMMANDS = [
  // A dump of the whole database, while the service runs or while it does not.
  offline({
    name: 'backup',
    summary: 'write a backup of the database with pg_dump, into a new file or one named by the time in the folder',
    json: '{ file, bytes, server_version, pg_dump_version, warnings: text of pg_dump, empty for a good backup }',
    takes: { place: word('FILE | DIR', 'Name one file or folder.', asSent) },
    run: ({ place }, context) => backUp(context, place),
  }),
  // On the server of the database, but not in it.
  offline({
    name: 'check-backup',
    summary: 'restore a backup into a scratch database of the same server, check its evidence, and drop it again',
    json: '{ ok, fault: null or why it cannot be restored, warnings, evidence: as of check-evidence, or null }',
    takes: { file: FILE },
    run: ({ file }, context) => checkBackup(context, file),
  }),
  // The documented restore: pg_restore, the schema of this release, what a new cluster needs, and a check.
  offline({
    name: 'restore',
    summary:
      'restore a backup into an empty database (DATABASE_URL, else a new DATA_DIR) and check its evidence; ' +
      '--new-secrets: without the PASSWORD_PEPPER of the lost service',
    json: '{ warnings: text of pg_restore, empty for a good restore, other_secrets: names, evidence: as of check-evidence }',
    takes: { file: FILE, 'new-secrets': FLAG },
    run: ({ file, 'new-secrets': newSecrets }, context) => restore(context, file, newSecrets),
  }),
  // Before the nodes that have no right to it start.
  offline({
    name: 'migrate',
    summary: 'bring the schema of your own PostgreSQL up to this release, as a start with MIGRATION_DATABASE_URL does',
    takes: {},
    excess: 'This command takes nothing.',
    async run(_, { env }) {
      if (!env.DATABASE_URL)
        throw new Error('DATABASE_URL is not set: the service itself migrates its embedded database.');
      const { url, migrationUrl, pooled } = readConfig(env).database;
      const check = { url: url ?? '', external: true, pooled };
      await requireUsableServer(check);
      const { ran, functions } = await bringUpToDate({ owner: migrationUrl ?? check.url, url: check.url }, SILENT);
      await requireUsableDatabase(check);
      const migrations = ran.length > 0 ? `These migrations ran: ${ran.join(', ')}.` : 'No migration was missing.';
      return { text: [migrations, `The functions of the database are ${STATES[functions]}.`] };
    },
  }),
];

async function backUp({ env, print, report }: OfflineContext, place: string): Promise<ExitCode> {
  requireDatabaseIn(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    if (server.schema.isNew)
      throw new Error('The database has no tables of the service yet, so there is nothing to back up.');
    const dump = await writeDump(server, place, new Date(), { env });
    const { file, bytes, pg_dump, warnings } = dump;
    for (const line of dumpLines(dump, server, config)) print(line);
    if (canLog(server)) await logBackup(server, config, 'backup', { bytes, pg_dump_version: pg_dump });
    else print('The audit log has no entry of it, because the schema is not of this release.');
    report({ file, bytes, server_version: server.major, pg_dump_version: pg_dump, warnings });
    return warnings === '' ? 0 : 1;
  } finally {
    await server.close();
  }
}

function dumpLines(
  { file, bytes, pg_dump, warnings }: Dump,
  { major }: OpenedServer,
  config: Config,
): readonly string[] {
  const { database, dataDir, marketData } = config;
  const secrets =
    database.url === null ? `the secrets in ${join(dataDir, 'secrets')}` : 'SESSION_SECRET, PASSWORD_PEPPER';
  return [
    `${file}: ${(bytes / 1e6).toFixed(1)} MB, from PostgreSQL ${major} by pg_dump ${pg_dump}.`,
    `It does not contain ${secrets} and the bar files in ${marketData.barsDir}: keep copies of them in another place.`,
    ...(pg_dump > major
      ? [
          `Restore it on PostgreSQL ${pg_dump} or later, because pg_dump is newer than the server: ` +
            `for this version install postgresql-client-${major} and back up again.`,
        ]
      : []),
    ...(warnings === '' ? [] : [`pg_dump printed warnings; check the backup with check-backup:\n${warnings}`]),
  ];
}

interface Checked {
  readonly fault: string | null;
  /** What pg_restore printed. */
  readonly warnings: string;
  readonly evidence: EvidenceResult | null;
}

async function checkBackup({ env, print, report }: OfflineContext, file: string): Promise<ExitCode> {
  requireDatabaseIn(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    const { fault, warnings, evidence } = await checked(server, config, { env, print, file });
    const ok = fault === null && warnings === '' && evidence?.ok === true;
    for (const line of [fault, warnings]) if (line !== null && line !== '') print(line);
    print(ok ? 'The backup can be restored, and nothing in it is at fault.' : 'The backup did not pass the check.');
    const detail = { ok, records: evidence?.report.records ?? null };
    if (canLog(server)) await logBackup(server, config, 'check_backup', detail);
    report({ ok, fault, warnings, evidence: evidence?.report ?? null });
    return ok ? 0 : 1;
  } finally {
    await server.close();
  }
}

interface Check extends Pick<OfflineContext, 'env' | 'print'> {
  readonly file: string;
}

function checked(server: OpenedServer, config: Config, { env, print, file }: Check): Promise<Checked> {
  return withScratchDatabase(server, async (scratch) => {
    try {
      const warnings = await restoreDump(scratch, file, env);
      await prepareRestored(scratch);
      // As the owner: a pooler for the service may not know this database.
      const evidence = await withStorage(scratch.ownerUrl, config, (storage) =>
        checkEvidenceOn({ storage, print, withCohorts: true }),
      );
      return { fault: null, warnings, evidence };
    } catch (error) {
      if (!(error instanceof UnusableBackup)) throw error;
      return { fault: error.message, warnings: '', evidence: null };
    }
  });
}

async function restore({ env, print, report }: OfflineContext, file: string, newSecrets: boolean): Promise<ExitCode> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  if (!newSecrets) requirePepper(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    const warnings = await restoreDump(server, file, env);
    await prepareRestored(server);
    print(`${file} was restored. It contains no bar files: copy yours to ${config.marketData.barsDir}.`);
    if (warnings !== '') print(`pg_restore printed warnings:\n${warnings}`);
    const others = await restoredSecrets(server, config, newSecrets);
    if (others.length > 0) print(`The backup was used with another ${others.join(' and another ')}: ${SECRETS_ADVICE}`);
    const evidence = await withStorage(server.serviceUrl, config, async (storage) => {
      for (const line of await restoredLogLines(storage)) print(line);
      return checkEvidenceOn({ storage, print, withCohorts: true });
    });
    await logBackup(server, config, 'restore', { ok: evidence.ok, records: evidence.report.records });
    report({ warnings, other_secrets: others, evidence: evidence.report });
    return evidence.ok && warnings === '' && others.length === 0 ? 0 : 1;
  } finally {
    await server.close();
  }
}

const SECRETS_ADVICE =
  'copy the secrets of the lost service to the folder, or into the variables, before a start; where they are lost, run ' +
  'npm run admin -- renew-secret session-secret --lost, and the same for password-pepper.';

/** The names of secrets that are not those of the lost service; new ones take their place where that is wanted. */
async function restoredSecrets({ serviceUrl, ownerName }: OpenedServer, config: Config, newSecrets: boolean) {
  const client = await connectDatabase(serviceUrl, ownerName);
  try {
    const others = await otherSecrets(client, config);
    if (!newSecrets) return others;
    for (const secret of usedSecrets(config).filter(({ name }) => others.includes(name)))
      await replaceNotedSecret(client, secret);
    return [];
  } finally {
    await client.end();
  }
}

/** A worker on another machine has no note of later leaves, so it would sign other ones in their place. */
async function restoredLogLines({ log: store }: Pick<Storage, 'log'>): Promise<readonly string[]> {
  const log = await store.newest();
  if (log === null) return [];
  const size = (await store.published(log.log))?.size ?? 0;
  return [
    `The backup has the first ${size === 1 ? 'leaf' : countedLeaves(size)} of ${log.origin}. If anybody may have seen later ones, run ` +
      'npm run admin -- log-new before a worker starts (docs/log-operation.md).',
  ];
}

/** With DATABASE_URL the configuration requires the variable; a new DATA_DIR would get a new pepper. */
function requirePepper(env: NodeJS.ProcessEnv): void {
  if (env.DATABASE_URL || env.PASSWORD_PEPPER) return;
  const secrets = join(resolve(env.DATA_DIR || './data'), 'secrets');
  if (existsSync(join(secrets, 'password-pepper'))) return;
  throw new Error(
    `${secrets} has no password-pepper, and with a new one no password of the backup works. ` +
      'Copy password-pepper, session-secret and log-key of the lost service there, or send --new-secrets.',
  );
}

const SILENT = { info: () => undefined, warn: () => undefined };
const STATES = {
  applied: 'those of this release now',
  current: 'those of this release, as before',
  newer: 'those of a newer release, and stay',
} as const;

/**
 * Runs the work on an empty database of the same server, which is dropped afterwards.
 * @throws Error when the role may not create databases
 */
async function withScratchDatabase<Result>(
  server: OpenedServer,
  work: (scratch: OpenedServer) => Promise<Result>,
): Promise<Result> {
  const name = `stancebook_check_${randomBytes(6).toString('hex')}`;
  const client = await connectDatabase(server.ownerUrl, server.ownerName);
  try {
    await create(client, name);
    try {
      const ownerUrl = withName(server.ownerUrl, name);
      return await work({ ...server, ownerUrl, close: async () => undefined });
    } finally {
      await client.query(`drop database ${name} with (force)`);
    }
  } finally {
    await client.end();
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

async function create(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(`create database ${name} template template0 encoding 'UTF8'`);
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(
      `The role ${client.user} may not create the scratch database for the check: alter role ${client.user} createdb, or restore the file on another server.`,
    );
  }
}

function withName(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
