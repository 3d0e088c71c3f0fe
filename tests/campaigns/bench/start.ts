import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf } from '../../../scripts/child-process.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../stage/interruption.ts';
import { stopServer } from '../stage/server-process.ts';
import type { NoteRatio } from './aims.ts';
import { median } from './measured.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The time from `npm start`, without npm itself, until the service is ready: on a new data folder, and later; as lines. */
export async function benchStart(laterStarts: number, note: NoteRatio): Promise<string> {
  const folder = makeThrowawayFolder('start');
  let child: ChildProcess | undefined;
  const ignoreSignals = closeOnSignal(async () => {
    if (child) await stopServer(child);
    removeThrowawayFolder(folder);
  });
  const start = async () => {
    const begin = performance.now();
    child = startNpm(folder);
    await addressOf(child);
    const seconds = (performance.now() - begin) / 1_000;
    await stopServer(child);
    return seconds;
  };
  try {
    const first = await start();
    const later: number[] = [];
    for (let n = 0; n < laterStarts; n += 1) later.push(await start());
    note('seconds from the second start to ready', median(later));
    const each = later.map((seconds) => seconds.toFixed(2)).join(', ');
    return `first start   ${first.toFixed(2)} s\nlater starts  ${median(later).toFixed(2)} s (${each})`;
  } finally {
    ignoreSignals();
    removeThrowawayFolder(folder);
  }
}

/** Runs the script `start` of package.json as npm does. */
function startNpm(folder: string): ChildProcess {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageFile;
  const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
  const data = { DATA_DIR: join(folder, 'data'), LOG_LAST_SEEN: join(folder, 'last-seen.json') };
  const env = { PATH, HOME: folder, ...data, PORT: '0', LOG_LEVEL: 'warn', MARKET_DATA_NETWORK: 'false' };
  return spawn('sh', ['-c', scripts.start], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

interface PackageFile {
  readonly scripts: Readonly<Record<'start', string>>;
}
