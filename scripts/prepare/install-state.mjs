import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether a folder lacks a package that its lock file names, or has another version of it. `kind` is `service`, or `all`
 * with the packages of development. What is installed in addition does not matter.
 */
export function isStale({ folder, kind }) {
  if (!existsSync(listOf(folder))) return true;
  if (isRemembered(folder, kind)) return false;
  if (lacking(folder, kind).length > 0) return true;
  remember({ folder, kind });
  return false;
}

/** Whether the packages that the service needs are there, whatever else is missing. */
export function isServiceInstalled(folder) {
  return existsSync(listOf(folder)) && lacking(folder, 'service').length === 0;
}

/** Notes that an installation succeeded, so that the next run reads one small file. */
export function remember({ folder, kind }) {
  try {
    // Renamed into place: copies of a project may share files by hard links.
    const aside = `${stampOf(folder)}-${process.pid}`;
    writeFileSync(aside, `${lockHash(folder)} ${kind}`);
    renameSync(aside, stampOf(folder));
  } catch {
    // An install that may not be written to is looked at anew each time.
  }
}

function isRemembered(folder, kind) {
  if (!existsSync(stampOf(folder))) return false;
  const [hash, noted] = readFileSync(stampOf(folder), 'utf8').split(' ');
  return hash === lockHash(folder) && (noted === 'all' || noted === kind);
}

/** The paths of packages that are not there in the version of the lock file. */
function lacking(folder, kind) {
  const { packages: wanted = {} } = JSON.parse(readFileSync(lockOf(folder), 'utf8'));
  const { packages: installed = {} } = JSON.parse(readFileSync(listOf(folder), 'utf8'));
  return Object.entries(wanted)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link && (kind === 'all' || !entry.dev))
    .filter(([path, { version }]) => installed[path]?.version !== version)
    .filter(([path, entry]) => installed[path] !== undefined || !entry.optional || isForHere(entry))
    .map(([path]) => path);
}

/**
 * Whether npm installs a package that names the platforms that it is for. Those without a platform may belong to one that
 * is left out; with another C library npm would install another one.
 */
function isForHere({ os, cpu, libc }) {
  const isNamed = os !== undefined && cpu !== undefined && libc === undefined;
  return isNamed && os.includes(process.platform) && cpu.includes(process.arch);
}

/** npm writes its own list last, so an interrupted install has none. */
function listOf(folder) {
  return join(folder, 'node_modules/.package-lock.json');
}

function lockOf(folder) {
  return join(folder, 'package-lock.json');
}

function stampOf(folder) {
  return join(folder, 'node_modules/.installed-lock');
}

function lockHash(folder) {
  return createHash('sha256')
    .update(readFileSync(lockOf(folder)))
    .digest('hex');
}
