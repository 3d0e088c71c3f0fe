import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import { ALPACA_ALLOWANCE, alpaca, alpacaHeaders } from '../../../../adapters/market/stocks/alpaca.ts';
import { stockSource } from '../../../../adapters/market/stocks/stock-source.ts';
import { OutOfReach } from '../../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../../domain/time.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { type AlpacaServer, alpacaServer, KEYS } from '../../../harness/stocks/alpaca-server.ts';
import { madeStock, openOf } from '../../../harness/stocks/made-stock.ts';
import { FRIDAY, LISTED, MSFT, NOW, promisesOfStocks } from './promises.ts';

let server: AlpacaServer;
beforeEach(async () => {
  server = await alpacaServer();
});
afterEach(() => server.close());

function open(feed: 'sip' | 'iex' = 'sip', keys = KEYS, deadline?: Millis) {
  const tools = testTools(NOW, deadline);
  const stock = madeStock(LISTED, NOW);
  server.stocks.set('MSFT', stock);
  const access = { source: 'alpaca', baseUrl: server.url, allowance: ALPACA_ALLOWANCE, headers: alpacaHeaders(keys) };
  return { source: stockSource(alpaca(sourceClient(access, tools), { feed }), tools.timing), server, stock, tools };
}

promisesOfStocks('Alpaca', () => open());

const queries = () => server.asked.map((path) => new URL(path, server.url).searchParams);

test('pages are followed to the last one, each bar once', async () => {
  server.perPage = 40;
  const { source } = open();
  const { bars } = await source.bars(MSFT, '1m', FRIDAY, FRIDAY + 2 * HOUR, NOW);
  expect(bars.map(({ start }) => (start - FRIDAY) / MINUTE)).toEqual(Array.from({ length: 120 }, (_, i) => i));
  expect(queries().filter((query) => query.get('timeframe') === '1Min')).toHaveLength(3);
});

test('the consolidated feed is not asked for its last quarter of an hour', async () => {
  const { source } = open('sip');
  const { bars } = await source.bars(MSFT, '1m', openOf('2026-03-02'), NOW, NOW);
  expect(bars.at(-1)?.end).toBe(Date.UTC(2026, 2, 2, 17, 29));
});

test('the single exchange is asked up to now', async () => {
  const { source } = open('iex');
  const { bars } = await source.bars(MSFT, '1m', openOf('2026-03-02'), NOW, NOW);
  expect(bars.at(-1)?.end).toBe(Date.UTC(2026, 2, 2, 17, 45));
  expect(new Set(queries().map((query) => query.get('feed')))).toEqual(new Set(['iex', null]));
});

test('a symbol that it refuses is unknown', async () => {
  const { source } = open();
  expect(await source.describe({ ...MSFT, symbol: 'A!' })).toBeNull();
});

test('wrong keys leave the question open, and appear in no error, log or address', async () => {
  const { source, tools } = open('sip', { key: 'AKOTHER', secret: 'canary-wrong-secret' });
  const failure = await source.describe(MSFT).catch((error: Error) => error.message);
  expect(failure).toBe('alpaca answered 403 (stock:MSFT:NASDAQ:spot:USD)');
  expect(JSON.stringify([failure, tools.logged, server.asked])).not.toMatch(/AKOTHER|canary/);
});

test('a reverse split makes earlier prices larger', async () => {
  const { source, stock } = open();
  stock.splits.push({ ex_date: '2026-02-27', to: 1, from: 10 });
  const { bars } = await source.bars(MSFT, '1d', openOf('2026-02-26'), FRIDAY + HOUR * 24, NOW);
  expect(bars.map(({ split }) => split)).toEqual([10, 1]);
});

test('a page that leads back to itself is not followed for ever', async () => {
  const { source } = open();
  const text = JSON.stringify({ bars: [], symbol: 'MSFT', next_page_token: btoa('0') });
  for (let i = 0; i < 5; i++) server.faults.push({ kind: 'text', text });
  await expect(source.describe(MSFT)).rejects.toThrow('alpaca has no last page');
  expect(server.asked).toHaveLength(2);
});

test.each(['silence', 'stall'] as const)('an answer that is late is asked for again (%s)', async (kind) => {
  const { source, tools } = open('sip', KEYS, 1_000);
  server.faults.push({ kind });
  expect(await source.describe(MSFT)).not.toBeNull();
  expect(tools.logged).toContainEqual(expect.objectContaining({ source: 'alpaca', code: 'timeout' }));
});

test('a window before all that it has is out of its reach', async () => {
  const { source } = open();
  const request = source.bars(MSFT, '1d', LISTED - 9 * DAY, LISTED - DAY, NOW);
  await expect(request).rejects.toBeInstanceOf(OutOfReach);
});
