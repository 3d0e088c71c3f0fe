import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { compareSources } from '../../../../application/grading/compare-sources.ts';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY, HOUR } from '../../../../domain/time.ts';
import { openMarketData } from '../../../../infrastructure/compose/market-sources.ts';
import { readConfig } from '../../../../infrastructure/config/config.ts';
import { sweepBench } from '../../../application/grading/bench.ts';
import { NOON, onMemory } from '../../../contracts/decisions/adapters.ts';
import { priceAt } from '../../../harness/exchanges/made-series.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { EODHD_KEY, type EodhdServer, eodhdServer } from '../../../harness/stocks/eodhd-server.ts';
import { changeDay, madeStock, openOf } from '../../../harness/stocks/made-stock.ts';
import { yahooServer } from '../../../harness/stocks/yahoo-server.ts';

const NOW = NOON.getTime();
const LISTED = Date.UTC(2025, 5, 2);
const DATE = '2026-02-26';

// The configuration makes its secrets there.
const folder = mkdtempSync(join(tmpdir(), 'stancebook-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

let server: EodhdServer;
beforeEach(async () => {
  server = await eodhdServer();
});
afterEach(() => server.close());

function instrumentOf(venue: string, symbol: string, quote_currency: string): Instrument {
  return { market: 'stock', symbol, venue, asset_class: 'spot', quote_currency };
}

function add(instrument: Instrument, there: string, currency: string) {
  const stock = { ...madeStock(LISTED, NOW, calendarOf(instrument)), currency };
  server.stocks.set(there, stock);
  return stock;
}

function open(env: NodeJS.ProcessEnv = {}) {
  const tools = testTools(NOW);
  const config = readConfig({
    DATA_DIR: folder,
    MARKET_DATA_STOCKS: 'eodhd',
    MARKET_DATA_EODHD_KEY: EODHD_KEY,
    MARKET_DATA_EODHD_URL: server.url,
    ...env,
  });
  return { tools, ...openMarketData(config.marketData, tools.log, tools.timing) };
}

test.each([
  ['HKEX', '0700.HK', '0700.HK', 'HKD', 'HKD'],
  ['NSE', 'M&M.NS', 'M&M.NSE', 'INR', 'INR'],
  ['BSE', 'RELIANCE.BO', 'RELIANCE.BSE', 'INR', 'INR'],
  ['KRX', '005930.KS', '005930.KO', 'KRW', 'KRW'],
  ['KRX', '035720.KQ', '035720.KQ', 'KRW', 'KRW'],
  ['TWSE', '2330.TW', '2330.TW', 'TWD', 'TWD'],
  ['LSE', 'BT.A.L', 'BT-A.LSE', 'GBX', 'GBX'],
  ['EURONEXT', 'MC.PA', 'MC.PA', 'EUR', 'EUR'],
  ['EURONEXT', 'EDP.LS', 'EDP.LS', 'EUR', 'EUR'],
  ['XETRA', 'SAP.DE', 'SAP.XETRA', 'EUR', 'EUR'],
  ['SIX', 'NESN.SW', 'NESN.SW', 'CHF', 'CHF'],
  ['TSX', 'RCI.B.TO', 'RCI-B.TO', 'CAD', 'CAD'],
  ['ASX', 'BHP.AX', 'BHP.AU', 'AUD', 'AUD'],
  ['SSE', '000001.SS', '000001.SHG', 'CNY', 'CNY'],
  ['SSE', '600000', '600000.SHG', 'CNY', 'CNY'],
  ['SZSE', '000001', '000001.SHE', 'CNY', 'CNY'],
])('%s %s is asked for as %s, and its days are those of the venue', async (venue, symbol, there, quote, currency) => {
  const instrument = instrumentOf(venue, symbol, quote);
  add(instrument, there, currency);
  const { marketData, health } = open();
  expect(await marketData.describe(instrument)).toMatchObject({
    ...{ source: 'eodhd', sizes: ['1d'], cadence: 'end_of_day', delisted_at: null },
    history_from: openOf('2025-06-02', calendarOf(instrument)),
  });
  const start = openOf(DATE, calendarOf(instrument));
  const { bars, dropped } = await marketData.bars(instrument, '1d', start, start + DAY, NOW);
  expect(bars).toMatchObject([{ start, end: calendarOf(instrument).onDate(DATE)?.close, split: 1 }]);
  expect([bars[0]?.open, bars[0]?.total, dropped]).toEqual([priceAt(start), 1, 0]);
  expect(health()).toContainEqual(expect.objectContaining({ source: 'eodhd', state: 'healthy' }));
  const exchange = there.slice(there.lastIndexOf('.') + 1);
  const paths = server.asked.map((path) => path.split('?')[0]);
  expect(paths).toEqual([`/exchange-symbol-list/${exchange}`, `/eod/${encodeURIComponent(there)}`]);
});

const VOD = instrumentOf('LSE', 'VOD.L', 'GBX');

test.each(['stock:AAPL:NASDAQ:USD', 'stock:7203.T:TSE:JPY'])('%s has other sources, and none is asked', async (key) => {
  const [, symbol = '', venue = '', quote = ''] = key.split(':');
  expect(await open().marketData.describe(instrumentOf(venue, symbol, quote))).toBeNull();
  expect(server.asked).toEqual([]);
});

describe('the unit of prices', () => {
  test.each([
    ['GBX', 'GBX', 1],
    ['GBX', 'GBp', 1],
    ['GBP', 'GBX', 0.01],
    ['GBX', 'GBP', 100],
  ])('a decision in %s has prices that the list names %s, times %d', async (quote, currency, factor) => {
    const instrument = { ...VOD, quote_currency: quote };
    add(instrument, 'VOD.LSE', currency);
    const start = openOf(DATE, calendarOf(VOD));
    const { bars } = await open().marketData.bars(instrument, '1d', start, start + DAY, NOW);
    expect(bars[0]?.open).toBeCloseTo(priceAt(start) * factor, 6);
  });

  test.each(['USD', 'EUR', '', 'NA'])('a listing in %j is another one', async (currency) => {
    add(VOD, 'VOD.LSE', currency);
    expect(await open().marketData.describe(VOD)).toBeNull();
  });
});

test('a symbol that is not in the list is unknown, and its days are not asked for', async () => {
  add(VOD, 'VOD.LSE', 'GBX');
  expect(await open().marketData.describe({ ...VOD, symbol: 'NOSUCH.L' })).toBeNull();
  expect(server.asked).toHaveLength(1);
});

test('the list of an exchange is asked for once a day', async () => {
  add(VOD, 'VOD.LSE', 'GBX');
  add(VOD, 'BP.LSE', 'GBX');
  const { marketData, tools } = open();
  await Promise.all([marketData.describe(VOD), marketData.describe({ ...VOD, symbol: 'BP.L' })]);
  const lists = () => server.asked.filter((path) => path.startsWith('/exchange-symbol-list'));
  expect(lists()).toHaveLength(1);
  tools.advance(DAY + HOUR);
  await marketData.describe({ ...VOD, symbol: 'OTHER.L' });
  expect(lists()).toHaveLength(2);
});

test('adjusted closes account for splits and dividends; it lists their dates and no action of its own', async () => {
  const stock = add(VOD, 'VOD.LSE', 'GBX');
  const calendar = calendarOf(VOD);
  const start = openOf(DATE, calendar);
  const before = calendar.nthBefore(start, 1);
  for (const { date, close } of stock.days) if (date < DATE) changeDay(stock, date, { adj_close: close * 0.9 });
  const { marketData } = open();
  const { bars } = await marketData.bars(VOD, '1d', before.open, start + DAY, NOW);
  expect(bars.map(({ split, total }) => [split, total.toFixed(9)])).toEqual([
    [1, '0.900000000'],
    [1, '1.000000000'],
  ]);
  expect(await marketData.actions?.(VOD, NOW)).toMatchObject({
    actions: [],
    lists: [{ source: 'eodhd', from: '2025-06-02', until: '2026-02-27' }],
  });
});

test('only days are covered, for as long as the plan reaches back', async () => {
  const [covered] = await open().marketData.coverage(VOD, NOW);
  expect(covered).toEqual({
    ...{ source: 'eodhd', delisted_at: null },
    spans: { '1d': { from: NOW - 364 * DAY, to: Number.POSITIVE_INFINITY } },
  });
  const [longer] = await open({ MARKET_DATA_EODHD_YEARS: '10' }).marketData.coverage(VOD, NOW);
  expect(longer?.spans['1d']?.from).toBe(NOW - 3_649 * DAY);
});

test('a plan that reaches less far back than is configured warns in a row, which is no day', async () => {
  const stock = add(VOD, 'VOD.LSE', 'GBX');
  stock.days.unshift(...madeStock(Date.UTC(2024, 5, 3), LISTED, calendarOf(VOD)).days);
  const listing = await open({ MARKET_DATA_EODHD_YEARS: '10' }).marketData.describe(VOD);
  expect(listing?.history_from).toBe(openOf('2025-03-03', calendarOf(VOD)));
});

test('rows on days without a session are no days, a price that is none costs its row alone', async () => {
  const stock = add(VOD, 'VOD.LSE', 'GBX');
  const christmas = stock.days.findIndex(({ date }) => date > '2025-12-25');
  const [day] = stock.days;
  if (day) stock.days.splice(christmas, 0, { ...day, date: '2025-12-25' });
  changeDay(stock, '2025-12-29', { low: 0 });
  const from = openOf('2025-12-24', calendarOf(VOD));
  const { bars, dropped } = await open().marketData.bars(VOD, '1d', from, from + 7 * DAY - HOUR, NOW);
  const dates = bars.map(({ start }) => new Date(start).toISOString().slice(0, 10));
  expect([dates, dropped]).toEqual([['2025-12-24', '2025-12-30'], 1]);
});

describe('a source that fails', () => {
  test('the limit of the day', async () => {
    add(VOD, 'VOD.LSE', 'GBX');
    server.left = 1;
    await expect(open().marketData.describe(VOD)).rejects.toThrow('eodhd answered 402');
  });

  test('no more than half of the requests of a day at once', async () => {
    const symbols = Array.from({ length: 12 }, (_, i) => `S${i}`);
    for (const symbol of symbols) add(VOD, `${symbol}.LSE`, 'GBX');
    const { marketData } = open();
    for (const symbol of symbols.slice(0, 9)) await marketData.describe({ ...VOD, symbol: `${symbol}.L` });
    await expect(marketData.describe({ ...VOD, symbol: 'S10.L' })).rejects.toThrow('eodhd takes no request now');
    expect(server.asked).toHaveLength(10);
  });

  test('a wrong key, which no message contains', async () => {
    const { marketData, tools } = open({ MARKET_DATA_EODHD_KEY: 'canary-other' });
    await expect(marketData.describe(VOD)).rejects.toThrow('eodhd answered 401 (stock:VOD.L:LSE:spot:GBX)');
    expect(JSON.stringify(tools.logged)).not.toContain('canary');
  });

  test('a listed symbol whose days are not found', async () => {
    add(VOD, 'VOD.LSE', 'GBX');
    const { marketData } = open();
    await marketData.describe({ ...VOD, symbol: 'OTHER.L' });
    server.stocks.delete('VOD.LSE');
    await expect(marketData.describe(VOD)).rejects.toThrow('eodhd answered 404');
  });

  test.each([
    ['not JSON', 'Ticker Not Found.'],
    ['not a list', '{"errors":{"from":["bad"]}}'],
    ['not an object', '[[]]'],
    ['not a date', '[{"open":1}]'],
    ['not in order', '[{"date":"2026-02-26"},{"date":"2026-02-25"}]'],
  ])('a reply that is %s', async (fault, text) => {
    add(VOD, 'VOD.LSE', 'GBX');
    const { marketData } = open();
    await marketData.describe({ ...VOD, symbol: 'OTHER.L' });
    for (let i = 0; i < 3; i++) server.faults.push({ kind: 'text', text });
    await expect(marketData.describe(VOD)).rejects.toThrow(`eodhd sent an unexpected reply: ${fault}`);
  });

  test('a list without rows knows no symbol, and an empty reply is no prices', async () => {
    expect(await open().marketData.describe(VOD)).toBeNull();
    const stock = add(VOD, 'VOD.LSE', 'GBX');
    stock.days.length = 0;
    expect(await open().marketData.describe(VOD)).toBeNull();
  });
});

test('a decision is graded by its days, and compare-sources holds a grade by Yahoo against it', async () => {
  const yahoo = await yahooServer();
  const storage = await onMemory();
  try {
    const stock = add(VOD, 'VOD.LSE', 'GBX');
    yahoo.stocks.set('VOD.L', stock);
    yahoo.currency = 'GBp';
    const both = open({ MARKET_DATA_STOCKS: 'yahoo,eodhd', MARKET_DATA_YAHOO_URL: yahoo.url });
    const call = { data_cutoff: new Date('2025-12-01T09:00:00Z').toISOString(), horizon_kind: 'trading_days' } as const;
    const graded = async (marketData: typeof both.marketData) => {
      const bench = await sweepBench(storage, marketData);
      const id = await bench.submit({ ...VOD, ...call, horizon_value: 20 });
      await verifyInstruments(bench.ports);
      await evaluateDue(bench.ports);
      return { id, decision: await bench.read(id), ports: bench.ports };
    };
    const first = await graded(open().marketData);
    expect([first.decision.lifecycle_state, first.decision.facts?.source]).toEqual(['evaluated', 'eodhd']);
    const { id, decision, ports } = await graded(both.marketData);
    expect([decision.lifecycle_state, decision.facts?.source]).toEqual(['evaluated', 'yahoo']);
    const { grades } = await compareSources(ports, both.sourcesOf, { size: 10, since: null });
    const compared = grades.find(({ record_id }) => record_id === id);
    expect(compared).toMatchObject({ fault: null, source: 'yahoo' });
    expect(compared && 'others' in compared ? compared.others : []).toContainEqual(
      expect.objectContaining({ source: 'eodhd', fault: null, result_bucket: decision.result_bucket }),
    );
  } finally {
    await storage.close();
    await yahoo.close();
  }
});
