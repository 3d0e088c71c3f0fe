import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/**
 * Of these packages the project uses single files; the others, over 100 MB, are removed once they are unpacked. Paths are
 * below node_modules. `drop` names what goes, `keep` what stays.
 */
const SPARE = [
  { name: `node-${process.platform}-${process.arch}`, drop: ['include', 'share'] },
  { name: 'vega-datasets', keep: ['package.json', 'README.md', 'LICENSE', 'data/sp500-2000.csv'] },
  { name: 'amcharts3', keep: ['package.json', 'licence.txt', 'amcharts/plugins/dataloader/examples/data'] },
];

/** Removes what nobody reads from the packages of a folder. */
export function removeSpareFiles(folder) {
  for (const { name, drop = [], keep } of SPARE) {
    const installed = join(folder, 'node_modules', name);
    if (!existsSync(installed)) continue;
    for (const path of drop) rmSync(join(installed, path), { recursive: true, force: true });
    if (keep) keepOnly(installed, keep);
  }
}

function keepOnly(folder, kept) {
  for (const entry of readdirSync(folder)) {
    if (kept.includes(entry)) continue;
    const below = kept.filter((path) => path.startsWith(`${entry}/`)).map((path) => path.slice(entry.length + 1));
    if (below.length > 0) keepOnly(join(folder, entry), below);
    else rmSync(join(folder, entry), { recursive: true });
  }
}

/**
 * Waits until no other process installs: two npm ci in one folder would each remove what the other has just unpacked.
 * @param refuse called with the code of the error where the file cannot be written
 */
export function takeTurn(file, refuse) {
  for (let isAnnounced = false; ; ) {
    try {
      return writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') refuse(error.code);
    }
    if (isAbandoned(file)) rmSync(file, { force: true });
    else {
      if (!isAnnounced) console.error('Waiting for another command that installs the packages...');
      isAnnounced = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

function isAbandoned(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    // Empty: between its making and its writing, or left so by a crash just there.
    if (holder === 0) return Date.now() - statSync(file).mtimeMs > 10_000;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
