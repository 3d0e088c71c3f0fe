import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import { perMinute } from '../../../../adapters/market/stocks/alpaca.ts';
import { massive, massiveHeaders } from '../../../../adapters/market/stocks/massive.ts';
import { stockSource } from '../../../../adapters/market/stocks/stock-source.ts';
import { HOUR, MINUTE } from '../../../../domain/time.ts';
import { faultServer } from '../../../harness/exchanges/fault-server.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { madeStock, NEW_YORK } from '../../../harness/stocks/made-stock.ts';
import { KEY, type MassiveServer, massiveServer } from '../../../harness/stocks/massive-server.ts';
import { FRIDAY, LISTED, MSFT, NOW, promisesOfStocks } from './promises.ts';

let server: MassiveServer;
beforeEach(async () => {
  server = await massiveServer();
});
afterEach(() => server.close());

function open(requests = 1_000) {
  const tools = testTools(NOW);
  const stock = madeStock(LISTED, NOW);
  server.stocks.set('MSFT', stock);
  const [baseUrl, allowance] = [server.url, perMinute(requests)];
  const client = sourceClient({ source: 'massive', baseUrl, allowance, headers: massiveHeaders(KEY) }, tools);
  return { source: stockSource(massive(client, { baseUrl, years: 2 }), tools.timing), server, stock, tools };
}

promisesOfStocks('Massive', () => open());

test('pages are followed to the last one, each bar once', async () => {
  server.perPage = 50;
  const { source } = open();
  const { bars } = await source.bars(MSFT, '1m', FRIDAY, FRIDAY + 2 * HOUR, NOW);
  expect(bars.map(({ start }) => (start - FRIDAY) / MINUTE)).toEqual(Array.from({ length: 120 }, (_, i) => i));
  expect(server.asked.filter((path) => path.includes('1/minute'))).toHaveLength(3);
});

test('minutes are requested by the month, because the limit counts base minutes', async () => {
  const { source } = open();
  const { bars } = await source.bars(MSFT, '5m', LISTED, FRIDAY, NOW);
  const sessions = NEW_YORK.sessions(LISTED, FRIDAY);
  const expected = sessions.reduce((sum, { open: from, close }) => sum + (close - from) / (5 * MINUTE), 0);
  expect(bars).toHaveLength(expected);
  expect(server.asked.filter((path) => path.includes('5/minute'))).toHaveLength(4);
});

test('a gap between two pages is requested again before it counts as silence', async () => {
  Object.assign(server, { perPage: 50, missingAtEnd: 3 });
  const { source, stock } = open();
  stock.series.quiet.add(FRIDAY + 48 * MINUTE);
  const { bars } = await source.bars(MSFT, '1m', FRIDAY, FRIDAY + 2 * HOUR, NOW);
  const traded = Array.from({ length: 120 }, (_, i) => i).filter((i) => i !== 48);
  expect(bars.map(({ start }) => (start - FRIDAY) / MINUTE)).toEqual(traded);
});

test('a last page that its limit may have cut off leaves the question open', async () => {
  const { source } = open();
  const text = JSON.stringify({ status: 'OK', queryCount: 50_000, resultsCount: 0 });
  for (let i = 0; i < 3; i++) server.faults.push({ kind: 'text', text });
  await expect(source.describe(MSFT)).rejects.toThrow('50000 base bars without a next page');
});

test('a page that lies elsewhere is not asked for, and its host never sees the key', async () => {
  const seen: unknown[] = [];
  const stranger = await faultServer((_, headers) => {
    seen.push(headers);
    return { status: 200, json: {} };
  });
  const { source, tools } = open();
  Object.assign(server, { perPage: 10, elsewhere: stranger.url });
  await expect(source.describe(MSFT)).rejects.toThrow('massive sent an unexpected reply: a page elsewhere');
  await stranger.close();
  expect(seen).toEqual([]);
  expect(JSON.stringify(tools.logged)).not.toContain(KEY);
});

test('the key goes along in a header alone', async () => {
  const { source } = open();
  await source.describe(MSFT);
  expect(server.asked.join()).not.toContain(KEY);
});

test('five requests a minute are not exceeded, wherever the minute begins', async () => {
  const { source, tools } = open(5);
  await source.bars(MSFT, '1m', FRIDAY, FRIDAY + HOUR, NOW);
  expect(server.asked).toHaveLength(4);
  expect(tools.slept).toEqual([15_000, 15_000, 15_000]);
});

test.each([
  ['BRK.B', 'BRK.B'],
  ['ABR.PRB', 'ABRpB'],
  ['BAC.PR', 'BACp'],
  ['AAC.WS', 'AAC.WS'],
  ['AAC.U', 'AAC.U'],
  ['AIIA.RT', 'AIIAr'],
  ['ABC.WI', 'ABCw'],
])('%s is asked for as it is written there', async (symbol, there) => {
  const { source, stock } = open();
  server.stocks.set(there, stock);
  expect(await source.describe({ ...MSFT, symbol })).not.toBeNull();
});

test('a dividend above the price is not believed', async () => {
  const { source, stock } = open();
  stock.dividends.push({ ex_date: '2026-02-27', amount: 100_000 });
  const { bars } = await source.bars(MSFT, '1d', FRIDAY - 24 * HOUR, FRIDAY + 24 * HOUR, NOW);
  expect(bars.map(({ total, split }) => total / split)).toEqual(bars.map(() => 1));
});
