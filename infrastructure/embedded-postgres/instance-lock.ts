import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';
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
export function lockInstance(dataDir: string, log: (line: string) => void = () => undefined): InstanceLock {
  const pidFile = join(dataDir, 'instance.pid');
  const lock = lockedFile(dataDir, log);
  // The file of a killed run may belong to another user.
  rmSync(pidFile, { force: true });
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  giveToFolder(pidFile);
  return {
    release() {
      if (pidOf(pidFile) === String(process.pid)) rmSync(pidFile, { force: true });
      lock.close();
    },
  };
}

/** Locks the file that has the name at the end: one that was removed meanwhile would exclude no other process. */
function lockedFile(dataDir: string, log: (line: string) => void): DatabaseSync {
  const lockFile = join(dataDir, 'instance.lock');
  for (let tries = 0; tries < TRIES; tries += 1) {
    makeClosed(lockFile);
    const before = inodeOf(lockFile);
    const lock = tryLock(lockFile);
    if (lock instanceof DatabaseSync) {
      if (before !== undefined && before === inodeOf(lockFile)) return lock;
      lock.close();
    } else if (lock === SQLITE.busy) throw new InstanceRunning(refusal(dataDir, pidOf(join(dataDir, 'instance.pid'))));
    else if (lock === SQLITE.notADatabase) empty(lockFile, log);
    else throw new StartRefused(`${lockFile} cannot be locked. ${adviceFor(lock)}`);
  }
  throw new StartRefused(
    `${lockFile} was removed or changed again and again. Stop what does so: it keeps a second service off ${dataDir}.`,
  );
}

const TRIES = 20;
/** Result codes of SQLite, https://sqlite.org/rescode.html. */
const SQLITE = { busy: 5, readOnly: 8, cannotOpen: 14, notADatabase: 26 } as const;

/** The lock, or the code of SQLite why there is none. */
function tryLock(lockFile: string): DatabaseSync | number {
  // SQLite would open a file for reading alone, and share it.
  if (!isWritable(lockFile)) return SQLITE.cannotOpen;
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(lockFile, { timeout: 0 });
    lock.exec('pragma journal_mode = off; begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    const code = typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) : Number.NaN;
    if (Number.isNaN(code)) throw error;
    // The lower byte of an extended code is the code.
    return code & 0xff;
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

/** Its content means nothing. It is emptied and not removed, so that two processes never have two locks. */
function empty(lockFile: string, log: (line: string) => void): void {
  log(`${lockFile} was damaged, and is emptied: only locks on it have a meaning`);
  truncateSync(lockFile);
}

function adviceFor(code: number): string {
  if (code === SQLITE.cannotOpen || code === SQLITE.readOnly) {
    return `It has to be a file that user ${process.geteuid?.()} may read and write: give it to that user, or remove it while no service runs on the folder.`;
  }
  return `SQLite reports ${code}: DATA_DIR has to be on a file system with locks and free space.`;
}

function inodeOf(file: string): bigint | undefined {
  return lstatSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** SQLite would make it readable for all, and a user who can read it can hold a lock on it. */
function makeClosed(lockFile: string): void {
  try {
    closeSync(openSync(lockFile, 'wx', 0o600));
    giveToFolder(lockFile);
  } catch (error) {
    // Closing a file that is there would release the locks that this process has on it.
    if (errorCode(error) === 'EEXIST') return;
    throw new StartRefused(`${lockFile} cannot be made (${errorCode(error)}). ${adviceFor(SQLITE.cannotOpen)}`);
  }
}

export function refusal(dataDir: string, pid: string): string {
  return `Another instance (pid ${pid}) is running on ${dataDir}. Stop it first, or set another DATA_DIR for this one.`;
}

function pidOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
