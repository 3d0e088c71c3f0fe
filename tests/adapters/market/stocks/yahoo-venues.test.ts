import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { calendarOf, timeZoneOf } from '../../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { openMarketData } from '../../../../infrastructure/compose/market-sources.ts';
import { readConfig } from '../../../../infrastructure/config/config.ts';
import { sweepBench } from '../../../application/grading/bench.ts';
import { NOON, onMemory } from '../../../contracts/decisions/adapters.ts';
import { priceAt } from '../../../harness/exchanges/made-series.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { changeDay, type MadeStock, madeStock, openOf } from '../../../harness/stocks/made-stock.ts';
import { type YahooServer, yahooServer } from '../../../harness/stocks/yahoo-server.ts';

const NOW = NOON.getTime();
const LISTED = Date.UTC(2025, 5, 2);

/** Venue, symbol, its name there, the quote of a decision, the currency that the source names, a session and its open. */
const LISTINGS = [
  ['HKEX', '0700.HK', '0700.HK', 'HKD', 'HKD', '2026-02-26', '2026-02-26T01:30:00Z'],
  ['HKEX', '80700.HK', '80700.HK', 'CNY', 'CNY', '2026-02-26', '2026-02-26T01:30:00Z'],
  ['NSE', 'M&M.NS', 'M&M.NS', 'INR', 'INR', '2026-02-26', '2026-02-26T03:45:00Z'],
  ['BSE', 'RELIANCE.BO', 'RELIANCE.BO', 'INR', 'INR', '2026-02-26', '2026-02-26T03:45:00Z'],
  ['TSE', '7203.T', '7203.T', 'JPY', 'JPY', '2026-02-26', '2026-02-26T00:00:00Z'],
  ['KRX', '005930.KS', '005930.KS', 'KRW', 'KRW', '2026-02-26', '2026-02-26T00:00:00Z'],
  ['TWSE', '2330.TW', '2330.TW', 'TWD', 'TWD', '2026-02-26', '2026-02-26T01:00:00Z'],
  ['LSE', 'BT.A.L', 'BT-A.L', 'GBX', 'GBp', '2026-02-26', '2026-02-26T08:00:00Z'],
  ['EURONEXT', 'EDP.LS', 'EDP.LS', 'EUR', 'EUR', '2026-02-26', '2026-02-26T08:00:00Z'],
  ['XETRA', 'SAP.DE', 'SAP.DE', 'EUR', 'EUR', '2026-02-26', '2026-02-26T08:00:00Z'],
  ['SIX', 'NESN.SW', 'NESN.SW', 'CHF', 'CHF', '2026-02-26', '2026-02-26T08:00:00Z'],
  ['TSX', 'RCI.B.TO', 'RCI-B.TO', 'CAD', 'CAD', '2026-02-26', '2026-02-26T14:30:00Z'],
  ['TSX', 'BCE.PR.A.TO', 'BCE-PA.TO', 'CAD', 'CAD', '2026-02-26', '2026-02-26T14:30:00Z'],
  ['ASX', 'BHP.AX', 'BHP.AX', 'AUD', 'AUD', '2026-02-26', '2026-02-25T23:00:00Z'],
  ['SSE', '000001.SS', '000001.SS', 'CNY', 'CNY', '2026-02-26', '2026-02-26T01:30:00Z'],
  ['SZSE', '000001', '000001.SZ', 'CNY', 'CNY', '2026-02-26', '2026-02-26T01:30:00Z'],
] as const;

// The configuration makes its secrets there.
const folder = mkdtempSync(join(tmpdir(), 'stancebook-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

let server: YahooServer;
beforeEach(async () => {
  server = await yahooServer();
});
afterEach(() => server.close());

function instrumentOf(venue: string, symbol: string, quote_currency: string): Instrument {
  return { market: 'stock', symbol, venue, asset_class: 'spot', quote_currency };
}

/** The configured source, which has the stock under that name. */
function opened(instrument: Instrument, there: string, currency: string) {
  const stock = madeStock(LISTED, NOW, calendarOf(instrument));
  server.stocks.set(there, stock);
  Object.assign(server, { currency, zone: timeZoneOf(instrument) });
  const env = { DATA_DIR: folder, MARKET_DATA_STOCKS: 'yahoo', MARKET_DATA_YAHOO_URL: server.url };
  const tools = testTools(NOW);
  const { marketData } = openMarketData(readConfig(env).marketData, tools.log, tools.timing);
  return { marketData, stock };
}

describe.each(LISTINGS)('%s %s', (venue, symbol, there, quote, currency, date, open) => {
  const instrument = instrumentOf(venue, symbol, quote);
  const calendar = calendarOf(instrument);
  const start = Date.parse(open);

  test('its day begins at the open of the session there', async () => {
    const { marketData } = opened(instrument, there, currency);
    expect(openOf(date, calendar)).toBe(start);
    expect(await marketData.describe(instrument)).toMatchObject({ source: 'yahoo', delisted_at: null });
    const { bars, dropped } = await marketData.bars(instrument, '1d', start, start + DAY, NOW);
    expect(bars).toMatchObject([{ start, end: calendar.onDate(date)?.close, split: 1 }]);
    expect([bars[0]?.open, bars[0]?.total, dropped]).toEqual([priceAt(start), 1, 0]);
    expect(new Set(server.asked.map((path) => path.split('?')[0]))).toEqual(
      new Set([`/v8/finance/chart/${encodeURIComponent(there)}`]),
    );
  });

  test('its hours are counted from the open of each part of the session', async () => {
    const { marketData } = opened(instrument, there, currency);
    const { bars } = await marketData.bars(instrument, '1h', start, start + 12 * HOUR, NOW);
    const expected = (calendar.onDate(date)?.segments ?? []).flatMap(({ open, close }) =>
      Array.from({ length: Math.ceil((close - open) / HOUR) }, (_, i) => [
        open + i * HOUR,
        Math.min(open + (i + 1) * HOUR, close),
      ]),
    );
    expect(bars.map(({ start, end }) => [start, end])).toEqual(expected);
    expect(bars.map(({ close }) => close.toFixed(6))).toEqual(expected.map(([, end = 0]) => priceAt(end).toFixed(6)));
  });

  test('a split takes effect at the session of its date there, and adjusted closes belong to theirs', async () => {
    const { marketData, stock } = opened(instrument, there, currency);
    stock.splits.push({ ex_date: date, to: 2, from: 1 });
    const before = calendar.nthBefore(start, 1);
    halve(stock, date);
    changeDay(stock, before.date, { adj_close: priceAt(before.close) / 4 });
    const { bars } = await marketData.bars(instrument, '1d', before.open, start + DAY, NOW);
    expect(bars.map(({ split, total }) => [split, total.toFixed(9)])).toEqual([
      [0.5, '0.250000000'],
      [1, '1.000000000'],
    ]);
    expect(bars[0]?.close).toBeCloseTo(priceAt(before.close), 9);
    expect(await marketData.actions?.(instrument, NOW)).toMatchObject({ actions: [{ at: start, value: 2 }] });
  });
});

/** Adjusted closes before a split of two are half of the prices. */
function halve({ days }: MadeStock, date: string): void {
  for (const [i, day] of days.entries()) if (day.date < date) days[i] = { ...day, adj_close: day.close / 2 };
}

describe('the unit of prices', () => {
  const VOD = (quote: string) => instrumentOf('LSE', 'VOD.L', quote);
  const start = Date.parse('2026-02-26T08:00:00Z');

  test.each([
    ['GBX', 'GBp', 1],
    ['GBX', 'GBX', 1],
    ['GBP', 'GBp', 0.01],
    ['GBX', 'GBP', 100],
    ['GBP', 'GBP', 1],
    ['USD', 'USD', 1],
  ])('a decision in %s has prices that are named %s, times %d', async (quote, currency, factor) => {
    const { marketData } = opened(VOD(quote), 'VOD.L', currency);
    const { bars } = await marketData.bars(VOD(quote), '1d', start, start + DAY, NOW);
    expect(bars.map(({ open }) => open.toFixed(8))).toEqual([(priceAt(start) * factor).toFixed(8)]);
    expect(bars[0]?.total).toBeCloseTo(1, 9);
  });

  test.each([
    ['GBX', 'USD'],
    ['GBP', 'EUR'],
    ['GBX', 'ILA'],
    ['USD', 'ZAc'],
    ['GBX', ''],
  ])('a listing in %s is none that is named %j', async (quote, currency) => {
    const { marketData } = opened(VOD(quote), 'VOD.L', currency);
    expect(await marketData.describe(VOD(quote))).toBeNull();
  });
});

/** A decision a while ago, by the hours, the days or the minutes of the source. */
const CALLS = [
  ['HKEX', '0700.HK', 'HKD', 'HKD', '2026-02-23T03:00:00Z', 'trading_days', 2],
  ['TSE', '7203.T', 'JPY', 'JPY', '2026-02-19T02:00:00Z', 'trading_days', 5],
  ['NSE', 'RELIANCE.NS', 'INR', 'INR', '2026-02-19T05:00:00Z', 'trading_days', 5],
  ['LSE', 'VOD.L', 'GBX', 'GBp', '2026-02-19T09:00:00Z', 'trading_days', 5],
  ['XETRA', 'SAP.DE', 'EUR', 'EUR', '2026-02-19T09:00:00Z', 'trading_days', 5],
  ['ASX', 'BHP.AX', 'AUD', 'AUD', '2026-02-18T23:30:00Z', 'trading_days', 5],
  ['TSE', '7203.T', 'JPY', 'JPY', '2025-12-01T02:00:00Z', 'trading_days', 20],
  ['HKEX', '0700.HK', 'HKD', 'HKD', '2026-02-26T01:30:00Z', 'holding_seconds', 3_600],
  ['TSE', '7203.T', 'JPY', 'JPY', '2026-02-26T00:30:00Z', 'holding_seconds', 3_600],
  ['NSE', 'RELIANCE.NS', 'INR', 'INR', '2026-02-26T03:45:00Z', 'holding_seconds', 3_600],
  ['LSE', 'VOD.L', 'GBX', 'GBp', '2026-02-26T09:00:00Z', 'holding_seconds', 3_600],
  ['XETRA', 'SAP.DE', 'EUR', 'EUR', '2026-02-26T09:00:00Z', 'holding_seconds', 3_600],
  // Across the session of Sunday, 1 February, which the source lacks.
  ['NSE', 'RELIANCE.NS', 'INR', 'INR', '2026-01-29T05:00:00Z', 'trading_days', 4],
] as const;

async function graded(marketData: ReturnType<typeof opened>['marketData'], call: Readonly<Record<string, unknown>>) {
  const storage = await onMemory();
  try {
    const bench = await sweepBench(storage, marketData);
    const record_id = await bench.submit(call);
    await verifyInstruments(bench.ports);
    await evaluateDue(bench.ports);
    expect(bench.reported).toEqual([]);
    return await bench.read(record_id);
  } finally {
    await storage.close();
  }
}

/** Days that move so much that one step of the minutes is small next to them. */
function sway({ days }: MadeStock): void {
  for (const [i, day] of days.entries()) {
    const close = day.close * (i % 2 === 0 ? 1.03 : 1);
    days[i] = { ...day, close, adj_close: close, high: Math.max(day.high, close) };
  }
}

test.each(CALLS)('%s %s in %s (%s): a decision of %s for %s %d is graded', async (...row) => {
  const [venue, symbol, quote_currency, currency, at, horizon_kind, horizon_value] = row;
  const instrument = instrumentOf(venue, symbol, quote_currency);
  const { marketData, stock } = opened(instrument, symbol, currency);
  if (horizon_kind === 'holding_seconds') sway(stock);
  const data_cutoff = new Date(at).toISOString();
  const decision = await graded(marketData, { ...instrument, data_cutoff, horizon_kind, horizon_value });
  const { lifecycle_state, facts, result_bucket } = decision;
  const bucket = horizon_kind === 'holding_seconds' ? expect.stringMatching(/_correct$/) : 'strong_correct';
  expect([lifecycle_state, facts?.source, result_bucket]).toEqual(['evaluated', 'yahoo', bucket]);
  expect(facts?.coverage.ratio).toBe(1);
  const entry = facts?.entry;
  expect(entry?.price.toFixed(4)).toBe(priceAt(Date.parse(entry?.time ?? '')).toFixed(4));
});

test('a decision whose entry falls into a session that the source lacks has no trade', async () => {
  const RELIANCE = instrumentOf('NSE', 'RELIANCE.NS', 'INR');
  const { marketData } = opened(RELIANCE, 'RELIANCE.NS', 'INR');
  const data_cutoff = new Date('2026-01-31T05:00:00Z').toISOString();
  const call = { ...RELIANCE, data_cutoff, horizon_kind: 'trading_days', horizon_value: 2 };
  const { lifecycle_state, last_error } = await graded(marketData, call);
  expect([lifecycle_state, last_error]).toEqual(['data_unavailable', expect.stringMatching(/^no_trade: /)]);
});

test('a close of a hundred times the price is left out by the method, and not mended', async () => {
  const VOD = instrumentOf('LSE', 'VOD.L', 'GBX');
  const { marketData, stock } = opened(VOD, 'VOD.L', 'GBp');
  const [day] = stock.days.filter(({ date }) => date === '2026-01-20');
  const times = (price = Number.NaN) => price * 100;
  changeDay(stock, '2026-01-20', {
    ...{ open: times(day?.open), high: times(day?.high), low: times(day?.low) },
    ...{ close: times(day?.close), adj_close: times(day?.adj_close) },
  });
  const start = openOf('2026-01-20', calendarOf(VOD));
  const { bars } = await marketData.bars(VOD, '1d', start, start + DAY, NOW);
  expect(bars[0]?.open).toBeCloseTo(priceAt(start) * 100, 6);
  const data_cutoff = new Date('2026-02-19T09:00:00Z').toISOString();
  const { facts } = await graded(marketData, { ...VOD, data_cutoff, horizon_kind: 'trading_days', horizon_value: 5 });
  expect(facts).toMatchObject({ prices_left_out: { path: 0, history: 2 } });
});

test('rows without a price are times without trades, and a price that is none costs its row alone', async () => {
  const SAP = instrumentOf('XETRA', 'SAP.DE', 'EUR');
  const { marketData, stock } = opened(SAP, 'SAP.DE', 'EUR');
  const start = openOf('2026-02-26', calendarOf(SAP));
  stock.series.quiet.add(start + MINUTE);
  stock.series.wrong.set(start + 2 * MINUTE, { close: 'NaN' });
  const { bars, dropped } = await marketData.bars(SAP, '1m', start, start + 5 * MINUTE, NOW);
  expect([bars.map(({ start: at }) => (at - start) / MINUTE), dropped]).toEqual([[0, 3, 4], 1]);
});

test('days on which the venue was closed are no days', async () => {
  const TOYOTA = instrumentOf('TSE', '7203.T', 'JPY');
  const { marketData, stock } = opened(TOYOTA, '7203.T', 'JPY');
  const [day] = stock.days;
  if (day) stock.days.push({ ...day, date: '2026-02-23' });
  const from = openOf('2026-02-20', calendarOf(TOYOTA));
  const { bars } = await marketData.bars(TOYOTA, '1d', from, from + 5 * DAY, NOW);
  expect(bars.map(({ start }) => new Date(start).toISOString().slice(0, 10))).toEqual(['2026-02-20', '2026-02-24']);
});
