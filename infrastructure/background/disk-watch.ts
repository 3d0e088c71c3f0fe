import { existsSync, realpathSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sweep, Sweeps } from '../../adapters/jobs/sweep.ts';
import { DISK_FULL, sqlState } from '../../adapters/postgres/kit/sql.ts';
import { type DiskReport, type DiskState, diskFull, diskState } from '../../domain/disk-space.ts';
import { JOBS, type Job } from '../../domain/jobs.ts';
import { DISK } from '../../domain/limits.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Millis } from '../../domain/time.ts';
import { findEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Logger } from '../logging/logger.ts';

/** How this process sees the disk of the database. Each process judges for itself. */
export interface DiskWatch {
  report(): DiskReport;
  /** What a request gets that would add to the stored data; null while there is room. */
  refusal(): Problem | null;
  /** Takes notice of an error by which the database says that its disk is full. */
  note(error: unknown): void;
  /** The same sweeps: while the disk is full, those that add to the stored data wait. */
  sparing(sweeps: Sweeps): Sweeps;
  stop(): void;
}

export interface DiskOptions {
  /** The folders of the database; none where it is on another machine. */
  readonly folders: readonly string[];
  /** Bytes that are to be kept free. */
  readonly least: number;
  /** Whether the database can write `DISK.probeBytes` more. It is asked while the database has said that it cannot. */
  readonly hasRoom: () => Promise<boolean>;
  /** Free bytes for a user who is not root. */
  readonly freeBytes?: (folder: string) => Promise<number>;
  readonly look?: Millis;
  readonly probe?: Millis;
}

/** Watches the disk of the database from now on; logs each change of its state. */
export async function watchDisk(
  options: DiskOptions,
  log: Pick<Logger, 'error' | 'warn' | 'info'>,
): Promise<DiskWatch> {
  const { folders, least, hasRoom, freeBytes = freeBytesOf, look = DISK.look, probe = DISK.probe } = options;
  let seen: DiskReport = { state: 'ok', free_bytes: null };
  let [isReported, isUnreadable, probedAt] = [false, false, 0];

  function report(): DiskReport {
    return isReported ? { ...seen, state: 'full' } : seen;
  }

  function change(to: () => void): void {
    const before = report().state;
    to();
    const { state, free_bytes } = report();
    if (state !== before) logChange(log, state, free_bytes, least);
  }

  async function measure(): Promise<void> {
    if (folders.length === 0) return;
    try {
      const free_bytes = Math.min(...(await Promise.all(folders.map(freeBytes))));
      change(() => {
        seen = { state: diskState(seen.state, free_bytes, least), free_bytes };
      });
      isUnreadable = false;
    } catch (error) {
      if (!isUnreadable) log.warn('The free space of the disk could not be read; the last figure counts', { error });
      isUnreadable = true;
    }
  }

  async function tryAgain(): Promise<void> {
    if (!isReported || performance.now() - probedAt < probe) return;
    probedAt = performance.now();
    const isOver = await hasRoom().catch(() => false);
    if (isOver) change(() => (isReported = false));
  }

  function note(error: unknown): void {
    if (isDiskFull(error)) change(() => (isReported = true));
  }

  await measure();
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(measure).then(tryAgain);
  }, look);
  timer.unref();
  return {
    report,
    refusal: () => (report().state === 'ok' ? null : diskFull()),
    note,
    sparing(sweeps) {
      const all = { ...sweeps };
      for (const job of JOBS) all[job] = sparingSweep(job, sweeps[job], { report, note });
      return all;
    },
    stop: () => clearInterval(timer),
  };
}

/** Where the embedded database is, if that is the database of this URL: its folder, and that of its log. */
export function databaseFolders(dataDir: string, databaseUrl: string): readonly string[] {
  if (findEmbeddedPostgres(dataDir)?.serviceUrl !== databaseUrl) return [];
  const data = join(dataDir, 'postgres', 'data');
  return [data, join(data, 'pg_wal')].filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder));
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Of PostgreSQL, and of a file that this process writes. */
function isDiskFull(error: unknown): boolean {
  return [DISK_FULL, 'ENOSPC', 'EDQUOT'].includes(sqlState(error));
}

/** These make room, stop harm, or add what is bounded: a row of a mail, of a delivery, of a price of a stablecoin. */
const ALWAYS: readonly Job[] = [
  'prune-expired',
  'erase-owners',
  'reset-factors',
  'deliver-webhooks',
  'send-mails',
  'observe-pegs',
];

function sparingSweep(job: Job, sweep: Sweep, { report, note }: Pick<DiskWatch, 'report' | 'note'>): Sweep {
  return async () => {
    if (report().state === 'full' && !ALWAYS.includes(job)) return { next: new Date(Date.now() + DISK.jobsWait) };
    return sweep().catch((error: unknown) => {
      note(error);
      throw error;
    });
  };
}

function logChange(log: Pick<Logger, 'error' | 'warn' | 'info'>, state: DiskState, free: number | null, least: number) {
  const facts = { state, ...(free === null ? {} : { free_bytes: free, least_bytes: least }) };
  if (state === 'ok') log.info('The disk of the database has room again; everything is accepted', facts);
  else if (state === 'low')
    log.warn('The disk of the database is nearly full: new records are refused until there is room', facts);
  else
    log.error('The disk of the database is full: new records are refused, and jobs wait, until there is room', facts);
}
