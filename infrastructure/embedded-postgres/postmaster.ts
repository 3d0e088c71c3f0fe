import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../error-code.ts';

/** The state that a server writes into its data folder. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** The server that `postmaster.pid` of the data folder names, running or not. */
export function readPostmaster(data: string): Postmaster | undefined {
  const lines = pidLines(data);
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid < 1) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * Ends a server whose parent and watchdog are gone, so that the folder is free. The caller holds the instance lock, so
 * no other process uses that server.
 */
export async function endOrphan(data: string, log: (line: string) => void): Promise<void> {
  const orphan = readPostmaster(data);
  if (orphan === undefined || !isAlive(orphan.pid)) return;
  if (!servesFolder(orphan.pid, data)) return disownPid(data);
  log(`Ending the PostgreSQL (pid ${orphan.pid}) that an earlier run left behind`);
  for (const { signal, wait } of ORPHAN_SIGNALS) {
    kill(orphan.pid, signal);
    if (await gone(orphan.pid, wait)) return;
  }
  throw new Error(
    `The PostgreSQL that an earlier run left behind (pid ${orphan.pid}) does not end. Kill it, then start again.`,
  );
}

/** Fast shutdown, then the immediate one, after which the next start recovers from the log. Milliseconds. */
const ORPHAN_SIGNALS = [
  { signal: 'SIGINT', wait: 20_000 },
  { signal: 'SIGQUIT', wait: 10_000 },
] as const;

/** A zombie counts as alive, which only costs the wait. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}

async function gone(pid: number, wait: number): Promise<boolean> {
  const deadline = performance.now() + wait;
  while (performance.now() < deadline) {
    if (!isAlive(pid)) return true;
    await sleep(20);
  }
  return false;
}

/** Ids are reused, in containers after every restart: only a process that works in this folder is its server. */
function servesFolder(pid: number, data: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(data);
  } catch {
    return false;
  }
}

/**
 * Another program has the id now, so PostgreSQL would refuse to start. The file remains, with an id that no process can
 * have: by its shared memory key the server still detects backends of a killed predecessor.
 */
function disownPid(data: string): void {
  const [, ...rest] = pidLines(data);
  // Written to a temporary file and renamed: the folder belongs to another user, whose links root must not follow.
  const aside = join(data, `postmaster.pid-${randomBytes(8).toString('hex')}`);
  writeFileSync(aside, ['2147483646', ...rest].join('\n'), { flag: 'wx' });
  renameSync(aside, join(data, 'postmaster.pid'));
}

function pidLines(data: string): readonly string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}
