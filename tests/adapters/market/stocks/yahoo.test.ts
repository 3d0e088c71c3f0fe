import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import { stockSource } from '../../../../adapters/market/stocks/stock-source.ts';
import { YAHOO_ALLOWANCE, yahoo } from '../../../../adapters/market/stocks/yahoo.ts';
import { DAY, HOUR } from '../../../../domain/time.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { madeStock, openOf } from '../../../harness/stocks/made-stock.ts';
import { type YahooServer, yahooServer } from '../../../harness/stocks/yahoo-server.ts';
import { FRIDAY, LISTED, MSFT, NOW, promisesOfStocks } from './promises.ts';

let server: YahooServer;
beforeEach(async () => {
  server = await yahooServer();
});
afterEach(() => server.close());

function open() {
  const tools = testTools(NOW);
  const stock = madeStock(LISTED, NOW);
  server.stocks.set('MSFT', stock);
  const access = { source: 'yahoo', baseUrl: server.url, allowance: YAHOO_ALLOWANCE };
  return { source: stockSource(yahoo(sourceClient(access, tools), tools.timing), tools.timing), server, stock, tools };
}

promisesOfStocks('Yahoo', open);

test('minutes are requested by the week', async () => {
  const { source } = open();
  const { bars } = await source.bars(MSFT, '1m', openOf('2026-02-09'), FRIDAY + DAY, NOW);
  expect(bars).toHaveLength(14 * 390);
  const requests = server.asked.filter((path) => path.includes('interval=1m'));
  expect(requests).toHaveLength(3);
});

test('minutes of long ago are not requested', async () => {
  const { source } = open();
  await source.describe(MSFT);
  const before = server.asked.length;
  const request = source.bars(MSFT, '1m', openOf('2026-01-15'), openOf('2026-01-15') + HOUR, NOW);
  await expect(request).rejects.toThrow('yahoo has no 1m bars so far back');
  expect(server.asked).toHaveLength(before);
});

test('its coverage begins later the shorter the bars are', async () => {
  const [covered] = await open().source.coverage(MSFT, NOW);
  const days = Object.values(covered?.spans ?? {}).map(({ from }) => (NOW - from) / DAY);
  expect(days).toEqual([29, 59, 729, Number.POSITIVE_INFINITY]);
});

test('a symbol in another currency is another one', async () => {
  const { source } = open();
  server.currency = 'EUR';
  expect(await source.describe(MSFT)).toBeNull();
});

test.each([
  ['BRK.B', 'BRK-B'],
  ['ABR.PRB', 'ABR-PB'],
  ['BAC.PR', 'BAC-P'],
  ['AAC.WS', 'AAC-WT'],
  ['AAC.WS.A', 'AAC-WTA'],
  ['AAC.U', 'AAC-UN'],
  ['AIIA.RT', 'AIIA-RI'],
  ['ABC.WI', 'ABC-WI'],
])('%s is asked for as it is written there', async (symbol, there) => {
  const { source, stock } = open();
  server.stocks.set(there, stock);
  expect(await source.describe({ ...MSFT, symbol })).not.toBeNull();
});

test('columns of different lengths are no prices', async () => {
  const { source } = open();
  const quote = [{ open: [1], high: [1, 1], low: [1, 1], close: [1, 1], volume: [1, 1] }];
  const result = [{ meta: { currency: 'USD' }, timestamp: [1_700_000_000, 1_700_086_400], indicators: { quote } }];
  const text = JSON.stringify({ chart: { result, error: null } });
  for (let i = 0; i < 3; i++) server.faults.push({ kind: 'text', text });
  await expect(source.describe(MSFT)).rejects.toThrow('yahoo sent an unexpected reply: open of another length');
});
