import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BYBIT_ALLOWANCE, bybit } from '../../../../adapters/market/exchanges/bybit.ts';
import { exchangeSource } from '../../../../adapters/market/exchanges/exchange-source.ts';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import type { AssetClass } from '../../../../domain/market/venues.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { type BybitServer, bybitServer } from '../../../harness/exchanges/bybit-server.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { type Bench, LISTED, NOW, promisesOfExchanges, promisesOnLeaving, seriesOf } from './promises.ts';

let server: BybitServer;
beforeEach(async () => {
  server = await bybitServer();
});
afterEach(() => server.close());

function benchOf(asset_class: AssetClass, quote = 'USDT'): Bench {
  const tools = testTools(NOW);
  const series = seriesOf();
  const listed = { base: 'BTC', quote, status: 'Trading', series };
  const contract = quote === 'USDC' ? 'linear BTCPERP' : 'linear BTCUSDT';
  server.symbols.set(asset_class === 'spot' ? 'spot BTCUSDT' : contract, listed);
  const access = { source: 'bybit', baseUrl: server.url, allowance: BYBIT_ALLOWANCE };
  return {
    source: exchangeSource(bybit(sourceClient(access, tools), asset_class), tools.timing),
    instrument: { market: 'crypto', symbol: 'BTC', venue: 'BYBIT', asset_class, quote_currency: quote },
    server,
    series,
    tools,
    halt: () => {
      listed.status = 'Closed';
    },
  };
}

promisesOfExchanges('Bybit spot', () => benchOf('spot'));
promisesOfExchanges('Bybit perpetuals', () => benchOf('perp'));
promisesOfExchanges('Bybit perpetuals in USDC', () => benchOf('perp', 'USDC'));
promisesOnLeaving('Bybit perpetuals', () => benchOf('perp'));

test('pages of a thousand', async () => {
  const { source, instrument } = benchOf('perp');
  const { bars } = await source.bars(instrument, '1m', LISTED, LISTED + 2_500 * MINUTE, NOW);
  expect(bars).toHaveLength(2_500);
  expect(server.asked).toHaveLength(3);
});

test('a contract whose symbol is refused is not there', async () => {
  const { source, instrument } = benchOf('perp');
  server.faults.push({ kind: 'text', text: '{"retCode":10001,"retMsg":"params error: Symbol Invalid","result":{}}' });
  expect(await source.describe(instrument)).toBeNull();
});

test.each<[AssetClass, string]>([
  ['perp', 'params error: category invalid'],
  ['perp', 'Request parameter error.'],
  ['perp', ''],
  ['spot', 'params error: symbol invalid'],
])('any other parameter error leaves the question open (%s: %s)', async (asset_class, retMsg) => {
  const { source, instrument } = benchOf(asset_class);
  const text = JSON.stringify({ retCode: 10_001, retMsg, result: {} });
  for (let i = 0; i < 3; i++) server.faults.push({ kind: 'text', text });
  await expect(source.describe(instrument)).rejects.toThrow('bybit sent an unexpected reply: error 10001');
});

test('a contract that has not been launched is not there', async () => {
  const { source, instrument } = benchOf('perp');
  server.symbols.set('linear BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'PreLaunch', series: seriesOf() });
  expect(await source.describe(instrument)).toBeNull();
});

test('a rate limit inside the answer is waited out', async () => {
  const { source, instrument, tools } = benchOf('spot');
  server.faults.push({ kind: 'text', text: '{"retCode":10006,"retMsg":"Too many visits!","result":{}}' });
  expect(await source.describe(instrument)).not.toBeNull();
  expect(tools.logged).toMatchObject([
    { code: 'rate_limit' },
    { message: 'A market data source answers again', count: 1 },
  ]);
});
