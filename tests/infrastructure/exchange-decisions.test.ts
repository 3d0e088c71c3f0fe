import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DAY, HOUR, MINUTE, type Millis } from '../../domain/time.ts';
import { aSubmission } from '../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../harness/callers.ts';
import { type BinanceServer, binanceServer } from '../harness/exchanges/binance-server.ts';
import type { Fault } from '../harness/exchanges/fault-server.ts';
import { openService, type TestService } from '../harness/service.ts';

const NOON = new Date('2026-03-02T12:00:20.000Z');
const SPELLINGS = ['BTC', 'BTC-USDT', 'btc/usdt', 'BTCUSDT'];
const OTHERS = ['ETH', 'SOL', 'XRP'];

/** The whole service before an exchange of our own, on a clock of our own. */
interface Bench {
  readonly service: TestService;
  readonly agent: TestAgent;
  advance(millis: Millis): Promise<void>;
}

let exchange: BinanceServer;
let bench: Bench;
beforeEach(async () => {
  exchange = await binanceServer();
  for (const base of ['BTC', ...OTHERS]) {
    const series = {
      since: NOON.getTime() - 600 * DAY,
      until: Number.POSITIVE_INFINITY,
      now: NOON.getTime() + 30 * DAY,
      quiet: new Set<Millis>(),
      wrong: new Map(),
    };
    exchange.pairs.set(`${base}USDT`, { base, quote: 'USDT', status: 'TRADING', series });
  }
  bench = await opened(exchange.url);
});
afterEach(async () => {
  await bench.service.close();
  await exchange.close();
});

async function opened(url: string): Promise<Bench> {
  let now = NOON.getTime();
  const timing = {
    now: () => now,
    async sleep(millis: Millis) {
      now += millis;
    },
    random: () => 0.5,
  };
  const env = { MARKET_DATA_NETWORK: 'true', MARKET_DATA_BINANCE_URL: url, LIMIT_COOLDOWN_SECONDS: '0' };
  const service = await openService('memory', { at: NOON, env, timing });
  const agent = await anAgentAt(service);
  return {
    service,
    agent,
    async advance(millis) {
      now += millis;
      await service.arrange.advance(millis);
      await service.settle();
    },
  };
}

const bitcoin = (symbol: string) =>
  aSubmission(NOON, { symbol, venue: 'BINANCE', quote_currency: 'USDT', horizon_value: 120 });

async function submitted(symbol: string): Promise<string> {
  const { status, body } = await bench.agent.submit(bitcoin(symbol));
  expect(status).toBe(201);
  return body.record_id;
}

const states = async (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await bench.agent.state(id)).body.lifecycle_state));

/** No answer of half of the requests, in every way that a network has. */
function halfOf(requests: number): (Fault | null)[] {
  const faults: Fault[] = [
    { kind: 'status', status: 503 },
    { kind: 'reset' },
    { kind: 'cut' },
    { kind: 'text', text: '<html>' },
    { kind: 'status', status: 429, headers: { 'retry-after': '3' } },
  ];
  let seed = 42;
  return Array.from({ length: requests }, (_, i) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31 < 0.5 ? (faults[i % faults.length] ?? null) : null;
  });
}

test('four spellings are one instrument, looked up once and graded on the same bars', async () => {
  const ids: string[] = [];
  for (const symbol of SPELLINGS) ids.push(await submitted(symbol));
  await bench.service.settle();
  expect(await states(ids)).toEqual(['verified', 'verified', 'verified', 'verified']);
  await bench.advance(6 * MINUTE);
  expect(await states(ids)).toEqual(['evaluated', 'evaluated', 'evaluated', 'evaluated']);
  // Once its symbol, its oldest day, its days and its minutes.
  const paths = exchange.asked.map((path) => path.split('?')[0]);
  expect(paths).toEqual(['/api/v3/exchangeInfo', '/api/v3/klines', '/api/v3/klines', '/api/v3/klines']);
  const [first, ...others] = await Promise.all(ids.map(async (id) => (await bench.agent.read(id)).body));
  expect(first.outcome).toMatchObject({
    source: 'binance',
    bar_size: '1m',
    entry: { time: '2026-03-02T12:01:00.000Z' },
    exit: { time: '2026-03-02T12:02:00.000Z' },
  });
  for (const { outcome, cohort_key } of others) {
    expect([outcome, cohort_key]).toEqual([first.outcome, first.cohort_key]);
  }
});

test('an exchange that fails half of its requests still ends with every decision graded', async () => {
  exchange.faults.push(...halfOf(500));
  const ids: string[] = [];
  for (const symbol of ['BTC', ...OTHERS]) ids.push(await submitted(symbol));
  const waiting = async () => (await states(ids)).filter((state) => state !== 'evaluated').length;
  for (let i = 0; i < 60 && (await waiting()) > 0; i++) await bench.advance(6 * MINUTE);
  expect(await states(ids)).toEqual(['evaluated', 'evaluated', 'evaluated', 'evaluated']);
  expect(exchange.faults.length).toBeLessThan(500);
  expect(bench.service.log.filter((line) => line.includes('A market data source failed'))).not.toEqual([]);
});

test('a pair that the exchange does not list is rejected', async () => {
  const id = await submitted('NOSUCHCOIN');
  await bench.service.settle();
  expect(await states([id])).toEqual(['rejected']);
});

describe('an exchange that cannot be reached', () => {
  beforeEach(async () => {
    await bench.service.close();
    await exchange.close();
    bench = await opened(exchange.url);
  });

  test('leaves a decision waiting, and the log short', async () => {
    const id = await submitted('BTC');
    await bench.service.settle();
    for (let hour = 0; hour < 24; hour++) {
      for (let i = 0; i < 12; i++) await bench.advance(HOUR / 12);
    }
    expect(await states([id])).toEqual(['pending_verify']);
    const failures = bench.service.log.filter((line) => line.includes('A market data source failed'));
    expect(failures).toHaveLength(1);
    expect(bench.service.log.filter((line) => line.includes('A market data source is paused'))).toHaveLength(1);
    expect(JSON.parse(failures[0] ?? '')).toMatchObject({
      level: 'warn',
      source: 'binance',
      instrument: 'crypto:BTC:BINANCE:spot:USDT',
      code: 'ECONNREFUSED',
      count: 1,
    });
  });
});
