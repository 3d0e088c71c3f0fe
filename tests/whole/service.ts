import type { ChildProcess } from 'node:child_process';
import { findEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import type { Account } from '../../infrastructure/embedded-postgres/server-home.ts';
import { addressOf, type Exit, exitOf, SERVICE, startChild } from '../../scripts/child-process.ts';
import { query } from '../harness/embedded-instance.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';

/** The service as an operator starts it, in its own process group; it stops when the tests end in any way. */
export interface RunningService {
  readonly url: string;
  readonly dataDir: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Exit>;
}

export interface ServiceLaunch {
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: Account | undefined;
}

/** Lifts the limits, which other tests cover, because these tests send many requests. */
const UNHURRIED = {
  LIMIT_RATE_PER_SECOND: '100000',
  LIMIT_RATE_PER_MINUTE: '100000',
  LIMIT_ADDRESS_PER_MINUTE: '100000',
  LIMIT_SIGNUPS_PER_MINUTE: '100000',
  LIMIT_CREDENTIALED_PER_MINUTE: '100000',
  LIMIT_ACCOUNTS_PER_ADDRESS: '100000',
  LIMIT_ACCOUNTS_PER_DAY: '100000',
  LIMIT_READ_PER_DAY: '100000',
  LIMIT_CHECK_PER_DECISION: '100000',
};

/** Starts the service on the folder and waits until it answers; throws `EndedEarly` when it ends instead. */
export async function startService(dataDir: string, launch: ServiceLaunch = {}): Promise<RunningService> {
  const { child, ended } = launchService(dataDir, launch);
  const address = addressOf(child);
  if (launch.env?.ROLE !== 'worker') return { url: (await address).url, dataDir, child, ended };
  address.catch(() => undefined);
  return { url: '', dataDir, child, ended };
}

/** Starts the service on the folder, and waits for nothing. */
export function launchService(
  dataDir: string,
  { env = {}, account }: ServiceLaunch = {},
): Pick<RunningService, 'child' | 'ended'> {
  const child = startChild(SERVICE, {
    ...account,
    folder: '/',
    environment: {
      DATA_DIR: dataDir,
      LOG_LAST_SEEN: `${dataDir}/last-seen.json`,
      PORT: '0',
      MARKET_DATA_NETWORK: 'false',
      CIRCUIT_MONITOR: 'false',
      // Nothing listens there, so that a service with network access calls no other server.
      MARKET_DATA_SYMBOLS_URL: 'http://127.0.0.1:9',
      LOG_LEVEL: 'warn',
      ...UNHURRIED,
      ...env,
    },
  });
  return { child, ended: exitOf(child) };
}

/** Sends the signal and waits until the service has ended. */
export async function stopService(
  { child, ended }: Pick<RunningService, 'child' | 'ended'>,
  signal: NodeJS.Signals = 'SIGTERM',
) {
  child.kill(signal);
  return ended;
}

/** As Ctrl-C on a terminal, which every process of the group receives. */
export async function interruptGroup({ child, ended }: RunningService) {
  process.kill(-(child.pid ?? Number.NaN), 'SIGINT');
  return ended;
}

export function makeFolder(): string {
  return makeThrowawayFolder('whole');
}

export const removeFolder = removeThrowawayFolder;

/** The rows of a query on the database of a running service. */
export function rowsOf(dataDir: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const urls = findEmbeddedPostgres(dataDir);
  if (!urls) throw new Error('No database runs on the folder');
  return query(urls.url, sql);
}
