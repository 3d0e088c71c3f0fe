import { dirname } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { DATA_SETS, findInstalled } from '../../../adapters/market/files/packaged-data.ts';
import { sourceClient } from '../../../adapters/market/source-client.ts';
import { alpaca, alpacaHeaders, perMinute } from '../../../adapters/market/stocks/alpaca.ts';
import { massive, massiveHeaders } from '../../../adapters/market/stocks/massive.ts';
import { stockSource } from '../../../adapters/market/stocks/stock-source.ts';
import { yahoo } from '../../../adapters/market/stocks/yahoo.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../domain/grading/method.ts';
import type { MarketData } from '../../../domain/market/market-data.ts';
import { onMemory } from '../../contracts/decisions/adapters.ts';
import type { FaultServer } from '../../harness/exchanges/fault-server.ts';
import { testTools } from '../../harness/exchanges/source-tools.ts';
import { alpacaServer, KEYS } from '../../harness/stocks/alpaca-server.ts';
import { type MadeDay, type MadeStock, NEW_YORK } from '../../harness/stocks/made-stock.ts';
import { KEY, massiveServer } from '../../harness/stocks/massive-server.ts';
import { yahooServer } from '../../harness/stocks/yahoo-server.ts';
import { sweepBench } from '../grading/bench.ts';

const NOW = Date.UTC(2003, 2, 3, 12);
const ANCHOR = Date.UTC(2003, 1, 13, 12);
const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;

/** Across a split of 2:1 on 18 February and a dividend of 8 cents on the 19th. */
const CALL: EvaluationCall = {
  instrument: MSFT,
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: ANCHOR,
  anchor_time: ANCHOR,
  end_time: NEW_YORK.nthFrom(ANCHOR, 5).close,
};

let stock: MadeStock;
beforeAll(async () => {
  const set = DATA_SETS.find(({ instrument }) => instrument.symbol === 'MSFT');
  const path = findInstalled(set?.package_name ?? '');
  const rows = (await set?.read(dirname(path ?? ''))) ?? [];
  const days = rows.map(dayOf).filter(({ date }) => Date.parse(date) < NOW);
  const never = Number.POSITIVE_INFINITY;
  stock = {
    series: { since: never, now: NOW, until: never, quiet: new Set(), wrong: new Map() },
    days,
    splits: [{ ex_date: '2003-02-18', to: 2, from: 1 }],
    dividends: [{ ex_date: '2003-02-19', amount: 0.08 }],
  };
});

let server: FaultServer;
afterEach(() => server.close());

const tools = testTools(NOW, 10_000);
const allowance = perMinute(10_000);

test('Alpaca: MSFT across its split and dividend comes out as from the bar store', async () => {
  const opened = await alpacaServer();
  server = opened;
  opened.stocks.set('MSFT', stock);
  const client = sourceClient(
    { source: 'alpaca', baseUrl: server.url, allowance, headers: alpacaHeaders(KEYS) },
    tools,
  );
  const source = stockSource(alpaca(client, { feed: 'sip', since: Date.UTC(2000, 0, 1) }), tools.timing);
  const facts = await factsOf(source);
  expect(facts.z).toBeCloseTo(0.738692, 6);
  expect(facts.raw_return).toBeCloseTo(0.043377, 5);
  expect(facts.mfe?.value).toBeCloseTo(0.076737, 5);
  expect([facts.entry.price, facts.exit.price]).toEqual([46.41, 24.14]);
});

test('Yahoo: prices in the units of today come out as traded, and the outcome with them', async () => {
  const opened = await yahooServer();
  server = opened;
  opened.stocks.set('MSFT', stock);
  const client = sourceClient({ source: 'yahoo', baseUrl: server.url, allowance }, tools);
  const facts = await factsOf(stockSource(yahoo(client, tools.timing), tools.timing));
  expect(facts.z).toBeCloseTo(0.738692, 6);
  expect(facts.entry.price).toBeCloseTo(46.41, 6);
  expect(facts.exit.price).toBeCloseTo(24.14, 6);
});

test('Massive: the dividend itself, where the packaged closes are adjusted to the cent, moves it by less than a percent', async () => {
  const opened = await massiveServer();
  server = opened;
  opened.stocks.set('MSFT', stock);
  const baseUrl = server.url;
  const client = sourceClient({ source: 'massive', baseUrl, allowance, headers: massiveHeaders(KEY) }, tools);
  const facts = await factsOf(stockSource(massive(client, { baseUrl, years: 3 }), tools.timing));
  // 2 x 24.14 / 46.41, and what the dividend took out of the close before it.
  const close = stock.days.find(({ date }) => date === '2003-02-18')?.close ?? Number.NaN;
  expect(facts.raw_return).toBeCloseTo((2 * 24.14) / (46.41 * (1 - 0.08 / close)) - 1, 9);
  expect(Math.abs((facts.z ?? Number.NaN) / 0.738692 - 1)).toBeLessThan(0.01);
  expect([facts.entry.price, facts.exit.price]).toEqual([46.41, 24.14]);
});

test('the sweeps verify and grade a decision on it', async () => {
  const opened = await alpacaServer();
  server = opened;
  opened.stocks.set('MSFT', stock);
  const client = sourceClient(
    { source: 'alpaca', baseUrl: server.url, allowance, headers: alpacaHeaders(KEYS) },
    tools,
  );
  const source = stockSource(alpaca(client, { feed: 'iex', since: Date.UTC(2000, 0, 1) }), tools.timing);
  const storage = await onMemory();
  const bench = await sweepBench(storage, inDays(source));
  const five = { market: 'stock', horizon_kind: 'trading_days', horizon_value: 5 } as const;
  const call = { ...five, symbol: 'MSFT', venue: 'NASDAQ', data_cutoff: new Date(ANCHOR).toISOString() };
  const record_id = await bench.submit(call);
  await verifyInstruments(bench.ports);
  expect(await evaluateDue(bench.ports)).toMatchObject({ ended: 1 });
  const { lifecycle_state, facts } = await bench.read(record_id);
  expect([lifecycle_state, bench.reported]).toEqual(['evaluated', []]);
  expect(facts).toMatchObject({ source: 'alpaca', method: 'eval/3', z: expect.closeTo(0.762872, 6) });
  await storage.close();
});

/** The packaged prices are daily ones. */
function inDays(source: MarketData): MarketData {
  return {
    ...source,
    async describe(instrument) {
      const listing = await source.describe(instrument);
      return listing && { ...listing, sizes: ['1d'] };
    },
  };
}

async function factsOf(source: MarketData) {
  const listing = await source.describe(MSFT);
  const needed = EVAL_1.barsNeeded(CALL, ['1d']);
  if (!listing || needed.kind !== 'bars') throw new Error('There is nothing to evaluate');
  const fetch = ({ size, from, to }: typeof needed.path) => source.bars(MSFT, size, from, to, NOW);
  const evidence = { path: await fetch(needed.path), daily: await fetch(needed.daily), listing };
  const evaluation = EVAL_1.evaluate(CALL, evidence, NOW);
  if (evaluation.kind !== 'evaluated') throw new Error(evaluation.reason);
  expect(evaluation.outcome.result_bucket).toBe('strong_correct');
  return evaluation.outcome.facts;
}

function dayOf({
  date,
  open,
  high,
  low,
  close,
  adj_close,
  volume,
}: Omit<MadeDay, 'adj_close' | 'volume'> & {
  readonly adj_close: number | null;
  readonly volume: number | null;
}): MadeDay {
  return { date, open, high, low, close, volume: volume ?? 0, adj_close: adj_close ?? close };
}
