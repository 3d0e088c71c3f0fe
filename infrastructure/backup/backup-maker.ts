import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import type { BackupFailure, BackupMaker, BackupObstacle, BackupOutcome } from '../../domain/backup.ts';
import { DISK } from '../../domain/limits.ts';
import { MINUTE } from '../../domain/time.ts';
import { processName } from '../background/process-reports.ts';
import type { Config } from '../config/config.ts';
import { connectDatabase } from '../database/connect-database.ts';
import { errorCode } from '../error-code.ts';
import type { Logger } from '../logging/logger.ts';
import { type OpenedServer, openServer } from './open-server.ts';
import { pgDumpFor, writeDump } from './write-dump.ts';

/** Any number that no other advisory lock of the database uses. The lock ends with its connection. */
const TRY_LOCK = 'select pg_try_advisory_lock(7382614928) as locked';

type MakerLog = Pick<Logger, 'warn' | 'error'>;

/** The maker of this process, which ends a backup that is under way when it stops. */
export interface OwnBackups extends BackupMaker {
  stop(): Promise<void>;
}

/** Backups with the pg_dump of this machine, into the folder of BACKUP_DIR, as the owner of the schema. */
export function backupsOf(config: Config, log: MakerLog, env: NodeJS.ProcessEnv = process.env): OwnBackups {
  const stopping = new AbortController();
  let making: Promise<void> = Promise.resolve();
  let known: { readonly until: number; readonly obstacle: Promise<BackupObstacle | null> } | null = null;

  function obstacle(): Promise<BackupObstacle | null> {
    if (known === null || performance.now() > known.until)
      known = { until: performance.now() + MINUTE, obstacle: findObstacle(config, env) };
    return known.obstacle;
  }

  async function begin(begun: () => Promise<void>, ended: (outcome: BackupOutcome) => Promise<void>) {
    const folder = folderOf(config);
    const server = await openServer(config);
    const lock = await connectDatabase(server.ownerUrl, server.ownerName);
    const release = async () => {
      await lock.end();
      await server.close();
    };
    try {
      const { rows } = await lock.query<{ locked: boolean }>(TRY_LOCK);
      if (rows[0]?.locked !== true || stopping.signal.aborted) {
        await release();
        return false;
      }
      await begun();
    } catch (error) {
      await release();
      throw error;
    }
    const ground = { env, signal: stopping.signal };
    making = writeWatched(server, { folder, least: DISK.returnsAt * config.database.keptFree, ground, log })
      .then(ended)
      .catch((error: unknown) => log.error('How a backup ended could not be written to the audit log', { error }))
      .finally(release);
    return true;
  }

  return {
    process: processName(),
    obstacle,
    begin,
    async stop() {
      stopping.abort();
      await making;
    },
  };
}

function folderOf({ backupDir }: Config): string {
  if (backupDir === null) throw new Error('BACKUP_DIR is not set.');
  return backupDir;
}

async function findObstacle(config: Config, env: NodeJS.ProcessEnv): Promise<BackupObstacle | null> {
  if (config.backupDir === null) return 'no_folder';
  if (!(await isUsable(config.backupDir))) return 'folder_unusable';
  let server: OpenedServer;
  try {
    server = await openServer(config);
  } catch {
    return 'no_connection';
  }
  await server.close();
  return pgDumpFor(server, env).then(
    () => null,
    () => 'no_pg_dump',
  );
}

async function isUsable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
}

interface Watched {
  readonly folder: string;
  /** Bytes that stay free on the disk of the folder, which may be that of the database. */
  readonly least: number;
  readonly ground: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal };
  readonly log: MakerLog;
}

/** Writes the dump while its disk has room. */
async function writeWatched(server: OpenedServer, { folder, least, ground, log }: Watched): Promise<BackupOutcome> {
  const full = new AbortController();
  const look = async () => {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < least) full.abort();
  };
  const timer = setInterval(() => void look().catch(() => undefined), DISK.look);
  const signal = AbortSignal.any([ground.signal, full.signal]);
  try {
    await look();
    signal.throwIfAborted();
    const { bytes, pg_dump, warnings } = await writeDump(server, folder, new Date(), { ...ground, signal });
    if (warnings !== '') log.warn('pg_dump printed warnings: check the backup with check-backup');
    return { failure: null, bytes, pg_dump_version: pg_dump };
  } catch (error) {
    const failure = full.signal.aborted ? 'no_room' : ground.signal.aborted ? 'stopped' : failureOf(error);
    if (failure === 'stopped') log.warn('The backup that an operator requested ended with this process: make it again');
    else
      log.error('A backup that an operator requested failed; the command backup prints why', {
        error,
        reason: failure,
      });
    return { failure };
  } finally {
    clearInterval(timer);
  }
}

function failureOf(error: unknown): BackupFailure {
  const code = errorCode(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  if (code === 'ENOSPC' || code === 'EDQUOT' || message.includes('No space left on device')) return 'no_room';
  if (['ENOENT', 'EACCES', 'EROFS', 'ENOTDIR'].includes(code)) return 'folder_unusable';
  return message.includes('permission denied') ? 'no_right' : 'pg_dump_failed';
}
