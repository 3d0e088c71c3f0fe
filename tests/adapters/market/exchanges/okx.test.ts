import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { exchangeSource } from '../../../../adapters/market/exchanges/exchange-source.ts';
import { OKX_ALLOWANCE, okx } from '../../../../adapters/market/exchanges/okx.ts';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import type { AssetClass } from '../../../../domain/market/venues.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { type OkxServer, okxServer } from '../../../harness/exchanges/okx-server.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { type Bench, LISTED, NOW, promisesOfExchanges, promisesOnLeaving, seriesOf } from './promises.ts';

let server: OkxServer;
beforeEach(async () => {
  server = await okxServer();
});
afterEach(() => server.close());

function benchOf(asset_class: AssetClass, quote = 'USDT'): Bench {
  const tools = testTools(NOW);
  const series = seriesOf();
  const listed = { state: 'live', series };
  server.instruments.set(asset_class === 'spot' ? `BTC-${quote}` : `BTC-${quote}-SWAP`, listed);
  const access = { source: 'okx', baseUrl: server.url, allowance: OKX_ALLOWANCE };
  return {
    source: exchangeSource(okx(sourceClient(access, tools), asset_class, tools.timing), tools.timing),
    instrument: { market: 'crypto', symbol: 'BTC', venue: 'OKX', asset_class, quote_currency: quote },
    server,
    series,
    tools,
    halt: () => {
      listed.state = 'suspend';
    },
  };
}

promisesOfExchanges('OKX spot', () => benchOf('spot'));
promisesOfExchanges('OKX swaps', () => benchOf('perp'));
promisesOfExchanges('OKX swaps in USDC', () => benchOf('perp', 'USDC'));
promisesOnLeaving('OKX swaps', () => benchOf('perp'));

const pathsOf = (requests: readonly string[]) => requests.map((path) => path.split('?')[0]);

test('old windows come from the history, recent ones do not', async () => {
  const { source, instrument } = benchOf('spot');
  expect((await source.bars(instrument, '1m', LISTED, LISTED + 750 * MINUTE, NOW)).bars).toHaveLength(750);
  expect((await source.bars(instrument, '1m', NOW - HOUR, NOW, NOW)).bars).toHaveLength(59);
  const history = '/api/v5/market/history-candles';
  expect(pathsOf(server.asked)).toEqual([history, history, history, '/api/v5/market/candles']);
});

test('a window across the edge between the two is whole', async () => {
  const { source, instrument } = benchOf('spot');
  const minute = Math.floor(NOW / MINUTE) * MINUTE;
  const { bars } = await source.bars(instrument, '1m', minute - 1_500 * MINUTE, minute, NOW);
  expect(bars).toHaveLength(1_500);
  expect(new Set(pathsOf(server.asked)).size).toBe(2);
});

test('days are UTC days', async () => {
  const { source, instrument } = benchOf('spot');
  await source.bars(instrument, '1d', LISTED, LISTED + 2 * DAY, NOW);
  expect(server.asked[0]).toContain('bar=1Dutc');
});

test('a bar that the exchange does not call final is left out, whatever our clock says', async () => {
  const { source, instrument, series } = benchOf('spot');
  const hour = Math.floor(NOW / HOUR) * HOUR;
  series.now = hour + 90_000;
  const { bars } = await source.bars(instrument, '1m', hour, NOW, NOW);
  expect(bars.map(({ start }) => start)).toEqual([hour]);
});

test('an instrument before its opening is not there', async () => {
  const { source, instrument } = benchOf('perp');
  server.instruments.set('BTC-USDT-SWAP', { state: 'preopen', series: seriesOf() });
  expect(await source.describe(instrument)).toBeNull();
});

test('a rate limit inside the answer is waited out', async () => {
  const { source, instrument, tools } = benchOf('spot');
  server.faults.push({ kind: 'text', text: '{"code":"50011","msg":"Too Many Requests","data":[]}' });
  expect(await source.describe(instrument)).not.toBeNull();
  expect(tools.logged).toMatchObject([
    { code: 'rate_limit' },
    { message: 'A market data source answers again', count: 1 },
  ]);
});
