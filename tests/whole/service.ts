import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../infrastructure/embedded-postgres/server-home.ts';
import { findEmbeddedPostgres } from '../../infrastructure/embedded-postgres.ts';
import { query, removeDataDir } from '../harness/embedded-instance.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The service as an operator starts it, in a process group of its own; it ends with the tests, however they end. */
export interface RunningService {
  readonly url: string;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface ServiceLaunch {
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: Account | undefined;
}

/** Other tests are about limits; these ask as fast and as often as they can. */
const UNHURRIED = {
  LIMIT_RATE_PER_SECOND: '100000',
  LIMIT_RATE_PER_MINUTE: '100000',
  LIMIT_ADDRESS_PER_MINUTE: '100000',
  LIMIT_SIGNUPS_PER_MINUTE: '100000',
  LIMIT_READ_PER_DAY: '100000',
  LIMIT_CHECK_PER_DECISION: '100000',
};

/** What a service that could not start has said. */
export class StartFailed extends Error {
  readonly exit: number | NodeJS.Signals;

  constructor(said: string, exit: number | NodeJS.Signals) {
    super(said);
    this.exit = exit;
  }
}

/** Starts the service on the folder and waits until it answers, or tells how it ended instead; throws `StartFailed`. */
export async function startService(
  dataDir: string,
  { env = {}, account }: ServiceLaunch = {},
): Promise<RunningService> {
  const preload = join(ROOT, 'scripts', 'end-with-parent.ts');
  const main = join(ROOT, 'infrastructure', 'main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', preload, main], {
    ...account,
    cwd: '/',
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      MARKET_DATA_NETWORK: 'false',
      CIRCUIT_MONITOR: 'false',
      // Nobody is there: a service with the network on asks no server of others either.
      MARKET_DATA_SYMBOLS_URL: 'http://127.0.0.1:9',
      LOG_LEVEL: 'warn',
      ...UNHURRIED,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  let said = '';
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        said += text;
        const [, found] = /ready at (http\S+)/.exec(said) ?? [];
        if (found) resolve(found);
      });
    }
  });
  const answers = env.ROLE === 'worker' ? '' : url;
  const first = await Promise.race([answers, ended.then((exit) => ({ exit }))]);
  if (typeof first !== 'string') throw new StartFailed(said, first.exit);
  return { url: first, dataDir, child, ended };
}

/** Asks it to end and waits until it has. */
export async function stopService({ child, ended }: RunningService, signal: NodeJS.Signals = 'SIGTERM') {
  child.kill(signal);
  return ended;
}

/** As Ctrl-C on a terminal, which every process of the group receives. */
export async function interruptGroup({ child, ended }: RunningService) {
  process.kill(-(child.pid ?? Number.NaN), 'SIGINT');
  return ended;
}

/** A folder for services, which PostgreSQL's user can pass through when root runs the tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-whole-'));
  chmodSync(folder, 0o711);
  return folder;
}

export function removeFolder(folder: string): void {
  removeDataDir(join(folder, 'data'));
  rmSync(folder, { recursive: true, force: true });
}

/** Looks into the database of a service that runs. */
export function rowsOf(dataDir: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const urls = findEmbeddedPostgres(dataDir);
  if (!urls) throw new Error('No database runs on the folder');
  return query(urls.url, sql);
}
