// Runs before every npm script that needs the project, on any Node.js from 20 on, without dependencies. It installs what
// the lock files name and is missing, and puts a Node.js that runs TypeScript first on the path of npm scripts.
// Without arguments: what the service needs. With --dev: what tests and tools need too, with the types of the client.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWritten } from './client-types/written-types.mjs';
import { isServiceInstalled, isStale, remember, removeSpareFiles, takeTurn } from './prepare/install-state.mjs';
import { isAble, isPinned, usePinnedNode } from './prepare/pinned-node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const turn = join(root, '.installing');
const kind = process.argv.includes('--dev') ? 'all' : 'service';
// npm ci removes the link to the pinned Node.js, also when that is what runs this script.
const needsPinned = !isAble(process.versions.node) || isPinned(root);

const FOLDERS = [
  {
    folder: root,
    kind,
    what: kind === 'all' ? 'the packages of the service and of its tests' : 'the packages of the service',
  },
  { folder: join(root, 'scripts/prices'), kind: 'service', what: 'the price history of the examples' },
  ...(kind === 'all'
    ? [
        {
          folder: join(root, 'scripts/client-types'),
          kind: 'service',
          what: 'the generator of the types of the client',
        },
      ]
    : []),
  ...(needsPinned
    ? [
        {
          folder: join(root, 'scripts/runtime'),
          kind: 'service',
          what: `Node.js 24 for this project, because yours is ${process.versions.node}`,
        },
      ]
    : []),
];

await install();
if (needsPinned) usePinnedNode(root, fail);
if (kind === 'all' && !isWritten(root)) writeClientTypes();

/** Sources that do not load stop nothing here: the compiler and the tests report them. */
function writeClientTypes() {
  const node = needsPinned ? join(root, 'node_modules/.bin/node') : process.execPath;
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'scripts/write-client-types.ts')];
  const { status } = spawnSync(node, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) console.error('The types of the TypeScript client are not written: see above.');
}

/** All of them at once: npm waits for the network and the disk. */
async function install() {
  if (!FOLDERS.some(isStale)) return;
  takeTurn(turn, (code) => fail(`${root} lacks packages and cannot be written to (${code}): run npm ci as its owner.`));
  const succeeded = await Promise.all(FOLDERS.filter(isStale).map(installNow));
  rmSync(turn, { force: true });
  if (succeeded.every(Boolean)) return;
  fail('npm did not install everything. Check the messages above and the network, then run the command again.');
}

/** Whether it succeeded. */
async function installNow(part) {
  const begun = performance.now();
  const seconds = () => `${Math.round((performance.now() - begun) / 1000)} s`;
  console.error(`Installing ${part.what} (once)...`);
  const reminder = setInterval(() => console.error(`  still installing ${part.what}, ${seconds()}`), 15_000);
  const isInstalled = (await runNpm(part)) === 0;
  clearInterval(reminder);
  if (!isInstalled) return false;
  removeSpareFiles(part.folder);
  remember(part);
  console.error(`  installed ${part.what} in ${seconds()}`);
  return true;
}

/** Its exit status; null when it did not run. */
function runNpm(part) {
  const npm = spawn('npm', [...commandFor(part), '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: part.folder,
    stdio: ['ignore', 2, 2],
  });
  return new Promise((resolve) => {
    npm.once('error', () => resolve(null));
    npm.once('close', resolve);
  });
}

/** npm ci would remove the packages below a running service; what tests need in addition is added to them. */
function commandFor(part) {
  if (part.kind === 'service') return ['ci', '--omit=dev'];
  return isServiceInstalled(part.folder) ? ['install', '--no-save'] : ['ci'];
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
