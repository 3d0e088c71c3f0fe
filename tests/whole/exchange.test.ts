import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DAY, HOUR, rfc3339 } from '../../domain/time.ts';
import { type BinanceServer, binanceServer } from '../harness/exchanges/binance-server.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { call, closed, newCaller, submit } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

let exchange: BinanceServer;
let folder: string;
let service: RunningService;

beforeAll(async () => {
  exchange = await binanceServer();
  const series = {
    since: Date.now() - 600 * DAY,
    until: Number.POSITIVE_INFINITY,
    now: Date.now() + DAY,
    quiet: new Set<number>(),
    wrong: new Map(),
  };
  exchange.pairs.set('BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'TRADING', series });
  folder = makeFolder();
  const env = { MARKET_DATA_NETWORK: 'true', MARKET_DATA_BINANCE_URL: exchange.url };
  service = await startService(await copyPreparedData(join(folder, 'data')), { env });
});

afterAll(async () => {
  await stopService(service);
  await exchange.close();
  removeFolder(folder);
});

test('a decision is verified and graded on the prices of its exchange, over a connection that breaks now and then', async () => {
  exchange.faults.push({ kind: 'reset' }, null, { kind: 'status', status: 503 }, null, { kind: 'cut' });
  const { api_key } = await newCaller(service, 'trader');
  const { status, body } = await submit(service, api_key, {
    market: 'crypto',
    symbol: 'BTC/USDT',
    venue: 'BINANCE',
    asset_class: 'spot',
    quote_currency: 'USDT',
    direction: 'bullish',
    horizon_kind: 'holding_seconds',
    horizon_value: 3_600,
    data_cutoff: rfc3339(Date.now() - 20 * HOUR),
  });
  expect([status, body.submission_origin]).toEqual([201, 'retroactive']);
  const reply = await closed(service, api_key, body.record_id);
  expect(reply.body.outcome).toMatchObject({ source: 'binance', bar_size: '1m' });
  expect(reply.body.outcome.bars.length).toBeGreaterThan(55);
  const ready = async () => (await call(service, '/readyz')).body;
  // A check of the log that takes longer than a second, on a busy machine, counts as degraded.
  for (const end = Date.now() + 90_000; (await ready()).checks.evidence_log !== true && Date.now() < end; )
    await sleep(200);
  expect(await ready()).toEqual({
    status: 'ready',
    checks: { service: true, database: true, disk: true, market_data: true, evidence_log: true },
  });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('stancebook_market_source_failures{source="binance",state="healthy"} 0');
});
