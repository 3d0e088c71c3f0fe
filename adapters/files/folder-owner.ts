import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

// What root writes into a folder of another user belongs to that user. Otherwise neither that user nor PostgreSQL, which
// never runs as root, could open it, at this and every later start. Files change hands by their handle, and are reached
// by that of their folder: its owner may put a link in place of a name at any time.

const AS_ROOT = process.geteuid?.() === 0;

/** Replaces the file by one rename, or removes it where `content` is null. */
export function replaceFile(file: string, content: string | null): void {
  if (content === null) {
    rmSync(file, { force: true });
    return;
  }
  const aside = `${file}-${randomBytes(8).toString('hex')}`;
  const handle = openSync(aside, 'wx', 0o600);
  try {
    writeSync(handle, content);
  } finally {
    closeSync(handle);
  }
  giveToFolder(aside);
  renameSync(aside, file);
}

/** Gives a file or folder of root to the owner of the folder that it is in; with `below`, everything in it as well. */
export function giveToFolder(path: string, { below = false } = {}): void {
  if (!AS_ROOT) return;
  withHandle(realpathSync(dirname(path)), (folder, at) => give(folder, join(at, basename(path)), below));
}

/** Links stay as they are, and so do files that have another name elsewhere. */
function give(folder: number, path: string, below: boolean): void {
  // Most files of a cluster are its account's already: those are not opened.
  if (isAnothersFile(path)) return;
  withHandle(path, (entry, at) => {
    const owner = fstatSync(folder);
    const found = fstatSync(entry);
    const isOurs = found.uid === 0 && (found.isDirectory() || found.nlink === 1);
    if (isOurs && owner.uid !== 0) fchownSync(entry, owner.uid, owner.gid);
    if (below && found.isDirectory()) for (const name of readdirSync(at)) give(entry, join(at, name), below);
  });
}

function isAnothersFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.uid !== 0;
}

/** Calls back with a handle and a path that stays the same folder; not for what is gone, a link, or a special file. */
function withHandle(path: string, work: (handle: number, at: string) => void): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() && !found?.isDirectory()) return;
  const handle = opened(path);
  if (handle === undefined) return;
  try {
    work(handle, process.platform === 'linux' ? `${HANDLES}${handle}` : path);
  } finally {
    closeSync(handle);
  }
}

const HANDLES = '/proc/self/fd/';

function opened(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/**
 * Makes a folder and those above it, for their user alone; root makes them for the owner of the folder above. `mkdir` of Node.js with `recursive` never returns where the
 * parent exists and refuses new entries with ENOENT, as in `/proc`.
 * @throws Error with the code of the system
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
    giveToFolder(folder);
  } catch (error) {
    // Another process may have made it.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
