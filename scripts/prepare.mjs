// Runs before every npm script that needs the project, on any Node.js from 20 on, without dependencies:
// installs what the lock file names when it is missing or other, and puts a Node.js that runs TypeScript first.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const runtime = join(root, 'scripts', 'runtime');
const turn = join(root, '.installing');

// npm ci removes the link to the pinned Node.js, also when that is what runs this script.
const needsPinned = !able(process.versions.node) || process.execPath.startsWith(runtime);
await install(needsPinned ? [root, runtime] : [root]);
if (needsPinned) usePinnedNode();

/** All of them at once: npm waits for the network and the disk. */
async function install(folders) {
  if (!folders.some(stale)) return;
  takeTurn();
  const succeeded = await Promise.all(folders.filter(stale).map(installNow));
  rmSync(turn, { force: true });
  if (succeeded.every(Boolean)) return;
  fail('npm ci did not succeed. Check the messages above and the network, then run the command again.');
}

/** Whether it succeeded. */
function installNow(folder) {
  console.error(`Installing the packages of ${folder === root ? 'Stancebook' : 'its pinned Node.js'} (once)...`);
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  return new Promise((resolve) => {
    npm.once('error', () => resolve(false));
    npm.once('close', (status) => {
      if (status === 0) remember(folder);
      resolve(status === 0);
    });
  });
}

/** npm writes its own list last, so an interrupted install has none. A lock file that was only touched has the old hash. */
function stale(folder) {
  const list = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return true;
  if (existsSync(stamp(folder)) && readFileSync(stamp(folder), 'utf8') === lockHash(folder)) return false;
  if (statSync(list).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs) return true;
  remember(folder);
  return false;
}

function remember(folder) {
  try {
    writeFileSync(stamp(folder), lockHash(folder));
  } catch {
    // An install that may not be written to is looked at anew each time.
  }
}

function stamp(folder) {
  return join(folder, 'node_modules', '.installed-lock');
}

function lockHash(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
}

/** Two npm ci in one folder would each remove what the other has just unpacked. */
function takeTurn() {
  for (;;) {
    try {
      return writeFileSync(turn, `${process.pid}`, { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST')
        fail(`${root} lacks packages and cannot be written to (${error.code}): run npm ci as its owner.`);
    }
    if (abandoned()) rmSync(turn, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function abandoned() {
  try {
    const holder = Number(readFileSync(turn, 'utf8'));
    // Empty: between its making and its writing, or left so by a crash just there.
    if (holder === 0) return Date.now() - statSync(turn).mtimeMs > 10_000;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function usePinnedNode() {
  const pinned = join(runtime, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(pinned)) {
    fail(
      `Node.js ${process.versions.node} is too old and none is packaged for ${process.platform}-${process.arch}. Install Node.js 24 (22.18 is the oldest that works).`,
    );
  }
  const bin = join(root, 'node_modules', '.bin');
  putLink(join(bin, 'node'), relative(bin, pinned));
}

/** Relative, so that a moved project keeps working; renamed into place, so that a concurrent run always finds it. */
function putLink(link, target) {
  if (linkOf(link) === target) return;
  mkdirSync(dirname(link), { recursive: true });
  const aside = `${link}-${process.pid}`;
  symlinkSync(target, aside);
  renameSync(aside, link);
}

function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Types are stripped without a flag from 22.18 on, and from 23.6 on. */
function able(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
