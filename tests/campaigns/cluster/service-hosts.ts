import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { importPackagedData } from '../../../adapters/market/files/packaged-data.ts';
import { SERVICE } from '../../../scripts/child-process.ts';
import { onClient } from '../stage/client.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from '../stage/environment.ts';
import { evidenceLogEnvironment, makeLogKey } from '../stage/evidence-log.ts';
import { PASSWORD } from './database-hosts.ts';
import type { Front } from './front.ts';
import { type Host, startUnit, type Unit } from './hosts.ts';

export interface ServiceHost extends Host {
  readonly url: string;
  readonly api: Unit;
  readonly worker: Unit;
  /** Of its /readyz. */
  readonly workerUrl: string;
  readonly workerEnvironment: Readonly<Record<string, string>>;
  /** The file in which the worker notes the newest tree of the evidence log. */
  readonly lastSeen: string;
}

/** Creates roles and database as in docs/scaling.md. Settings that a pooler cannot pass to a session are the role's. */
export async function prepareDatabase({ superuserUrl }: Front): Promise<void> {
  await onClient(superuserUrl, async (client) => {
    await client.query(`
      create role stancebook_owner login password '${PASSWORD}';
      create role stancebook login password '${PASSWORD}';
      alter role stancebook set statement_timeout = '15s';
      alter role stancebook set idle_in_transaction_session_timeout = '30s';
      alter role stancebook set default_transaction_isolation = 'read committed';
      alter role stancebook set timezone = 'UTC';
      alter role stancebook set jit = off`);
    await client.query('create database stancebook owner stancebook_owner');
  });
}

/** Starts a process for requests and one for jobs on each host. All connect to the database through the front. */
export async function startServiceHosts(
  folder: string,
  hosts: readonly Host[],
  front: Front,
): Promise<readonly ServiceHost[]> {
  const shared = environment(front);
  const bars = join(folder, 'bars');
  await importPackagedData(bars);
  const logKey = makeLogKey(folder);
  const started = hosts.map((host) => {
    const own = join(folder, host.name);
    mkdirSync(own, { recursive: true });
    const env = { ...shared, HOST: host.address, MARKET_DATA_BARS_DIR: bars };
    const log = evidenceLogEnvironment(logKey, own);
    const workerEnvironment = { ...env, ...log, ROLE: 'worker', DATA_DIR: join(own, 'worker'), METRICS_PORT: '9100' };
    const start = (name: string, environment: Readonly<Record<string, string>>) =>
      startUnit(folder, host, { name, argv: [...NODE, SERVICE], env: environment, restart: 1_000 });
    return {
      ...host,
      url: `http://${host.address}:3000`,
      api: start('api', { ...env, ROLE: 'api', DATA_DIR: join(own, 'api') }),
      worker: start('worker', workerEnvironment),
      workerUrl: `http://${host.address}:${workerEnvironment.METRICS_PORT}`,
      workerEnvironment,
      lastSeen: log.LOG_LAST_SEEN ?? '',
    };
  });
  await allReady(started);
  return started;
}

const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];
const CLI = join(import.meta.dirname, '..', '..', '..', 'infrastructure', 'cli.ts');

/**
 * Puts a new key in the place of that of all workers, runs `admin log-new` on the host of one, as its operator would, and
 * restarts them all. @throws an error with `stderr` when it fails
 */
export async function logNew(services: readonly ServiceHost[]): Promise<{ readonly stderr: string }> {
  const [first] = services;
  if (!first) throw new Error('There is no worker.');
  const { name, workerEnvironment } = first;
  makeLogKey(dirname(workerEnvironment.LOG_KEY_FILE ?? ''));
  const env = { PATH: process.env.PATH, HOME: '/tmp', ...workerEnvironment };
  const done = await promisify(execFile)('ip', ['netns', 'exec', name, ...NODE, CLI, 'log-new'], { env });
  for (const { worker } of services) worker.signal('SIGTERM');
  return done;
}

/** Waits until every node is ready. @throws Error with its last log lines when one is not */
export async function allReady(services: readonly ServiceHost[]): Promise<void> {
  for (const { url, api } of services) await ready(url, api);
}

/** No request reaches a limit: other campaigns are about those. */
function environment({ url, ownerUrl, readUrl }: Front): Record<string, string> {
  return {
    ...serviceEnvironment({ url: ownerUrl, serviceUrl: url }),
    NODE_ENV: 'production',
    PORT: '3000',
    DATABASE_POOLER: 'transaction',
    DATABASE_READ_URL: readUrl,
    ...limitVariables(UNREACHED_LIMITS),
  };
}

async function ready(url: string, api: Unit): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    if (reply?.ok) return;
    if (Date.now() > deadline) throw new Error(`The service at ${url} is not ready after a minute:\n${api.tail()}`);
    await sleep(250);
  }
}
