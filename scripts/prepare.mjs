// Runs before every npm script that needs the project, on any Node.js from 20 on, without dependencies:
// installs what the lock file names when it is missing or older, and puts a Node.js that runs TypeScript first.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const runtime = join(root, 'scripts', 'runtime');
const OLDEST_ABLE = [22, 18];

install(root);
if (!able(process.versions.node)) usePinnedNode();

function install(folder) {
  if (!stale(folder)) return;
  console.error(`Installing the packages of ${folder === root ? 'Stancebook' : 'its pinned Node.js'} (once)...`);
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0)
    fail('npm ci did not succeed. Check the messages above and the network, then run the command again.');
}

function stale(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs;
}

function usePinnedNode() {
  install(runtime);
  const pinned = join(runtime, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(pinned)) {
    fail(
      `Node.js ${process.versions.node} is too old and none is packaged for ${process.platform}-${process.arch}. Install Node.js 24 (22.18 is the oldest that works).`,
    );
  }
  const bin = join(root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'node'), { force: true });
  symlinkSync(pinned, join(bin, 'node'));
}

function able(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST_ABLE[0] || (major === OLDEST_ABLE[0] && minor >= OLDEST_ABLE[1]);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
