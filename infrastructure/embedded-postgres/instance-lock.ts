import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../error-code.ts';
import { StartRefused } from '../start-refused.ts';

/** Another process has the data folder: it runs the database, or is about to start or stop it. */
export class InstanceRunning extends StartRefused {
  override readonly name = 'InstanceRunning';
}

export interface InstanceLock {
  release(): void;
}

/**
 * Makes this process the only one on the data folder, or throws an error that names the other one.
 *
 * Node.js has no file locks, so SQLite's are used. The kernel releases them when the process dies for any reason. So
 * there is no stale lock to judge and no process id to trust (ids are reused and mean nothing across containers).
 */
export function lockInstance(dataDir: string): InstanceLock {
  const lockFile = join(dataDir, 'instance.lock');
  makeClosed(lockFile);
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  const pidFile = join(dataDir, 'instance.pid');
  try {
    lock.exec('pragma journal_mode = off; begin exclusive');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new InstanceRunning(refusal(dataDir, pidFile)) : error;
  }
  // The file of a killed run may belong to another user.
  rmSync(pidFile, { force: true });
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(pidFile, { force: true });
      lock.close();
    },
  };
}

/** SQLite would make it readable for all, and a user who can read it can hold a lock on it. */
function makeClosed(lockFile: string): void {
  try {
    closeSync(openSync(lockFile, 'wx', 0o600));
  } catch (error) {
    // Closing a file that is there would release the locks that this process has on it.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function refusal(dataDir: string, pidFile: string): string {
  return `Another instance (pid ${pidOf(pidFile)}) is running on ${dataDir}. Stop it first, or set another DATA_DIR for this one.`;
}

function pidOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
