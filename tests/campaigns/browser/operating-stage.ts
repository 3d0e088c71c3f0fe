import { join } from 'node:path';
import type { Client } from 'pg';
import { SERVICE, startChild } from '../../../scripts/child-process.ts';
import { runAdmin } from '../../harness/admin-command.ts';
import { faultServer } from '../../harness/exchanges/fault-server.ts';
import { pegServer } from '../../harness/exchanges/peg-server.ts';
import { onClient } from '../stage/client.ts';
import { serviceEnvironment } from '../stage/environment.ts';
import { dumpEnvironment } from '../stage/made-dumps.ts';
import { startService } from '../stage/server-process.ts';
import { openThrowawayDatabase, type ThrowawayDatabase } from '../stage/throwaway-database.ts';
import { register, setUp } from './sign-in.ts';

type Person = { readonly email: string; readonly password: string };

/**
 * A service with an operator, an owner, and troubles: exchanges that refuse, a worker that is stopped, a run of a job that
 * hangs, and USDC, which lost its peg 30 hours ago and has held it again for more than 24.
 */
export interface OperatingStage {
  readonly url: string;
  readonly operator: Person;
  readonly owner: Person;
  /** The owner's API key. */
  readonly key: string;
  /** A decision of the owner about an instrument that no exchange answers for. */
  readonly record_id: string;
  close(): Promise<void>;
}

const OPERATOR = { email: 'operator@example.org', password: 'four plain words, spaced' };
const OWNER = { email: 'owner@example.org', password: 'five other words, spaced alike' };

/** Starts it; the troubles are seen within three minutes. */
export async function openOperatingStage(): Promise<OperatingStage> {
  const refusing = await faultServer(() => ({ status: 503, json: { message: 'Down for maintenance' } }));
  const pegs = await pegServer(() => ({ last: 1, bid: 0.9999, ask: 1.0001, at: new Date() }));
  const throwaway = await openThrowawayDatabase();
  let worker: number | undefined;
  const close = async () => {
    if (worker !== undefined) process.kill(worker, 'SIGCONT');
    await throwaway.close();
    await Promise.all([refusing.close(), pegs.close()]);
  };
  try {
    const environment = {
      ...serviceEnvironment(throwaway.database),
      ...UNHURRIED,
      ...dumpEnvironment(throwaway.folder, SEEN_FOR),
      ...exchanges(refusing.url, pegs.url),
    };
    const { url } = await startService(environment, throwaway.adopt);
    const child = startChild(SERVICE, { environment: { NODE_ENV: 'production', ...environment, ROLE: 'worker' } });
    throwaway.adopt(child);
    worker = child.pid ?? 0;
    await onClient(throwaway.database.url, plantDepeg);
    await onClient(throwaway.database.url, (client) => stopBetweenRuns(client, child.pid ?? 0));
    await onClient(throwaway.database.url, plantHungRun);
    await onClient(throwaway.database.url, plantFailedSource);
    await onClient(throwaway.database.url, plantMinutes);
    await openOperator(url, throwaway, environment);
    const key = await setUp(url, OWNER);
    await submitted(url, key, STOCK);
    return { url, operator: OPERATOR, owner: OWNER, key, record_id: await submitted(url, key, COIN), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Seconds of a backup, in which the page reads that it is being made. */
const SEEN_FOR = 5;

/** A walk opens, and loads anew, more views in a second and in a minute than a person does. */
const UNHURRIED = {
  LIMIT_RATE_PER_SECOND: '1000',
  LIMIT_RATE_PER_MINUTE: '6000',
  LIMIT_ADDRESS_PER_MINUTE: '6000',
  LIMIT_CREDENTIALED_PER_MINUTE: '6000',
};

function exchanges(refusing: string, pegs: string): Readonly<Record<string, string>> {
  const names = ['BINANCE', 'BINANCE_FUTURES', 'BYBIT', 'OKX'];
  return {
    MARKET_DATA_NETWORK: 'true',
    ...Object.fromEntries(names.map((name) => [`MARKET_DATA_${name}_URL`, refusing])),
    MARKET_DATA_KRAKEN_URL: pegs,
    MARKET_DATA_COINBASE_URL: pegs,
    CIRCUIT_BITSTAMP_URL: pegs,
    CIRCUIT_GEMINI_URL: pegs,
  };
}

async function openOperator(
  url: string,
  { folder, database }: ThrowawayDatabase,
  { SESSION_SECRET, PASSWORD_PEPPER }: NodeJS.ProcessEnv,
): Promise<void> {
  await register(url, OPERATOR);
  const secrets = { SESSION_SECRET, PASSWORD_PEPPER };
  const { code, output } = await runAdmin(database.url, join(folder, 'data'), ['grant-admin', OPERATOR.email], secrets);
  if (code !== 0) throw new Error(`grant-admin: ${output}`);
}

/** Observations of every five minutes; the run of calm ones began with the recovery. */
async function plantDepeg(client: Client): Promise<void> {
  await client.query(`
    insert into app.circuit_snapshots (id, coin, from_state, state, cause, actor, reason, at)
    values (gen_random_uuid(), 'USDC', 'normal', 'tripped', 'auto_trip', 'monitor',
      'A drift of 310 bps: at least 200 bps in 3 observations running.', now() - interval '30 hours')`);
  await client.query(`
    insert into app.peg_observations (coin, price, drift_bps, sources, observed_at)
    select 'USDC', price, round(((1 - price) * 10000)::numeric, 2),
      jsonb_build_array(jsonb_build_object('source', 'kraken', 'price', price, 'at', at)), at
    from (select at, case when at < now() - interval '25 hours' then 0.969 else 0.9999 end as price
      from generate_series(now() - interval '30 hours', now() - interval '1 minute', interval '5 minutes') at) path`);
  await client.query(`
    update app.circuit_monitors set below_since = now() - interval '25 hours', above_since = null, trip_since = null,
      at_once = 0, looked_at = (select max(observed_at) from app.peg_observations where coin = 'USDC')
    where coin = 'USDC'`);
}

/**
 * A worker that is stopped while it runs a job holds what others wait for, which would be another trouble. What it
 * reports is some seconds old: a transaction that goes on after the stop is one of the worker, which then goes on too.
 */
async function stopBetweenRuns(client: Client, pid: number): Promise<void> {
  for (let looks = 0; looks < 120; looks += 1) {
    const { rows } = await client.query(
      "select 1 from app.service_processes where process like '%:' || $1 and running = '[]'",
      [pid],
    );
    if (rows.length > 0) {
      process.kill(pid, 'SIGSTOP');
      await pause(STOPPED_FOR);
      const open = await client.query(OPEN_TRANSACTIONS);
      if (open.rows.length === 0) return;
      process.kill(pid, 'SIGCONT');
    }
    await pause(500);
  }
  throw new Error('The worker does not report itself, or always has an open transaction.');
}

const STOPPED_FOR = 4_000;
const OPEN_TRANSACTIONS = `
  select 1 from pg_stat_activity
  where datname = current_database() and xact_start < now() - interval '3 seconds' and pid <> pg_backend_pid()`;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A run that waits for something since a quarter of an hour, while its process gives signs of life. */
async function plantHungRun(client: Client): Promise<void> {
  await client.query(`
    insert into pgboss.job (name, state, started_on, heartbeat_on, heartbeat_seconds, expire_seconds)
    values ('build-atlas', 'active', now() - interval '16 minutes', now() + interval '1 hour', 60, 86400)`);
}

/** A source that has not answered another machine for longer than what passes by itself. */
/** A day of figures, with half an hour in which no process wrote and a backlog that was worked off. */
async function plantMinutes(client: Client): Promise<void> {
  await client.query(`
    insert into app.service_minutes (at, processes, durations, disk_free, due, log_size, log_waits)
    select date_trunc('minute', now()) - n * interval '1 minute', 2,
      array[20, 40, 30, 20, 10, 4, 2, 1, 0, 0, 0, 0, 0]::integer[], 412e9 - (1440 - n) * 3e6,
      greatest(0, 120 - abs(n - 700)), 20000 + (1440 - n) * 7, 2 + n % 5
    from generate_series(2, 1438) n where n not between 400 and 430
    on conflict do nothing`);
  await client.query(`
    update app.service_minutes set durations[1] = (200 + 180 * sin(extract(epoch from at) / 9000))::integer,
      durations[8] = (6 + 5 * sin(extract(epoch from at) / 2000))::integer`);
}

async function plantFailedSource(client: Client): Promise<void> {
  await client.query(`
    insert into app.source_health
      (process, source, serves, state, failures, last_error, last_error_at, last_success_at, told_at)
    values ('another-machine:1', 'binance', 'BINANCE', 'paused', 7, 'answered 503', now(), now() - interval '40 minutes',
      now() + interval '1 hour')`);
}

const COIN = { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' };
/** Its venue has a calendar. */
const STOCK = { market: 'stock', symbol: '600000', venue: 'SSE', asset_class: 'spot', quote_currency: 'CNY' };

async function submitted(url: string, key: string, instrument: typeof COIN): Promise<string> {
  const reply = await fetch(`${url}/api/v1/agent/decisions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': instrument.symbol },
    body: JSON.stringify({
      ...instrument,
      direction: 'bullish',
      horizon_kind: 'holding_seconds',
      horizon_value: 86_400,
      data_cutoff: new Date().toISOString(),
      key_factors: [{ factor: 'none' }],
    }),
  });
  const body = (await reply.json()) as { readonly record_id?: string };
  if (body.record_id === undefined) throw new Error(`The decision was refused: ${JSON.stringify(body)}`);
  return body.record_id;
}
