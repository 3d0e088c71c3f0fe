import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { addressOf, exitOf, SERVICE, startChild } from '../child-process.ts';

/** The real service as a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Resolves with how it ended, in words, whether or not it was stopped. */
  readonly ended: Promise<string>;
  /** Stops it and its database in order. Returns how it ended, also when that was earlier. */
  stop(): Promise<string>;
}

/**
 * Starts the service on the folder and waits until it listens. Ctrl-C does not reach it: the demo stops it.
 *
 * @param more variables of its environment, besides the settings of the demo
 * @param program that of the service, by default of this checkout or build
 * @throws EndedEarly
 */
export async function startService(
  folder: string,
  port: number,
  more: Variables = {},
  program: string = SERVICE,
): Promise<ServiceProcess> {
  const child = launch(folder, port, more, program);
  const ended = exitOf(child).then((exit) => (typeof exit === 'number' ? `with exit code ${exit}` : `by ${exit}`));
  const { url } = await addressOf(child);
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    stop() {
      child.stdin?.end();
      return ended;
    },
  };
}

type Variables = Readonly<Record<string, string>>;

function launch(folder: string, port: number, more: Variables, program: string) {
  const stdout = openSync(join(folder, 'service.log'), 'a', 0o600);
  try {
    const place = { DATA_DIR: folder, LOG_LAST_SEEN: join(folder, 'last-seen.json'), PORT: String(port) };
    const own = { ...variablesOf(SETTINGS), ...place, LOG_FORMAT: 'json', ...more };
    return startChild(program, { environment: { ...userEnvironment(), ...own }, stdout });
  } finally {
    closeSync(stdout);
  }
}

/** Nothing that configures another service of the same user: the demo must never reach that one's database. */
function userEnvironment(): NodeJS.ProcessEnv {
  const { HOME, TMPDIR, LANG } = process.env;
  return Object.fromEntries(Object.entries({ HOME, TMPDIR, LANG }).filter(([, value]) => value));
}

/** Where a demo keeps the port of its service, so that links to it work again after the next start. */
const fileOf = (folder: string) => join(folder, 'port');

/**
 * The port for the service of a demo: the chosen one, else that of its last run if nothing listens there now, else 0 for
 * any free one.
 * @param chosen on the command line or by PORT
 */
export async function portFor(folder: string, chosen: string | undefined): Promise<number> {
  if (chosen !== undefined) return Number(chosen);
  const last = existsSync(fileOf(folder)) ? Number(readFileSync(fileOf(folder), 'utf8')) : 0;
  return Number.isInteger(last) && last > 0 && last <= 65_535 && (await isFree(last)) ? last : 0;
}

/** @param url at which the service listens */
export function keepPort(folder: string, url: string): void {
  writeFileSync(fileOf(folder), new URL(url).port, { mode: 0o600 });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1' }, () => probe.close(() => resolve(true)));
  });
}

export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly why: string;
}

/** The variables that the demo changes for its own service, and why. */
export const SETTINGS: readonly Setting[] = [
  { name: 'LIMIT_COOLDOWN_SECONDS', value: '0', why: 'years of decisions arrive within seconds' },
  { name: 'LIMIT_RETROACTIVE_PER_DAY', value: '100000', why: 'every decision here is about the past' },
  { name: 'LIMIT_SUBMITS_PER_HOUR', value: '100000', why: 'one hour has to hold them all' },
  { name: 'LIMIT_RATE_PER_SECOND', value: '10000', why: 'the demo should not wait for the rate limit' },
  { name: 'LIMIT_RATE_PER_MINUTE', value: '100000', why: 'the same' },
  { name: 'LIMIT_ADDRESS_PER_MINUTE', value: '100000', why: 'callers without credentials read, too' },
  { name: 'LIMIT_SIGNUPS_PER_MINUTE', value: '1000', why: 'all owners sign up at once, again on every run' },
  { name: 'LIMIT_CREDENTIALED_PER_MINUTE', value: '100000', why: 'the demo is one address' },
  { name: 'LIMIT_ACCOUNTS_PER_ADDRESS', value: '1000', why: 'all owners sign up from it, again on every run' },
  { name: 'LIMIT_READ_PER_DAY', value: '100000', why: 'the grades are read back in batches' },
  { name: 'LIMIT_QUERY_PER_DAY', value: '10000', why: 'cohorts are queried, again on every run' },
  { name: 'LIMIT_CHECK_PER_DECISION', value: '1000', why: 'every record is checked, again on every run' },
  { name: 'LOG_INTERVAL_SECONDS', value: '1', why: 'the demo should not wait for its receipts' },
  { name: 'MARKET_DATA_NETWORK', value: 'false', why: 'the prices are installed with the project' },
];

/** What it changes for a small cast, too. */
export const OF_FEW_OWNERS: readonly Setting[] = [
  { name: 'WISDOM_MIN_PRODUCERS', value: '2', why: 'six owners are few; the contract asks for five' },
  { name: 'WISDOM_MIN_SAMPLES', value: '2', why: 'narrow cohorts show their counts, too' },
];

export function variablesOf(settings: readonly Setting[]): Readonly<Record<string, string>> {
  return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
}
