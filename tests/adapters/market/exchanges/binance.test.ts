import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BINANCE_ALLOWANCE, binance, binanceFutures } from '../../../../adapters/market/exchanges/binance.ts';
import { exchangeSource } from '../../../../adapters/market/exchanges/exchange-source.ts';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { type BinanceServer, binanceServer } from '../../../harness/exchanges/binance-server.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { type Bench, LISTED, NOW, promisesOfExchanges, promisesOnLeaving, seriesOf } from './promises.ts';

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'BINANCE',
  asset_class: 'spot',
  quote_currency: 'USDT',
};

let server: BinanceServer;
beforeEach(async () => {
  server = await binanceServer();
});
afterEach(() => server.close());

function benchOf(asset_class: Instrument['asset_class'], quote = 'USDT'): Bench {
  const tools = testTools(NOW);
  const series = seriesOf();
  const pair = { base: 'BTC', quote, status: 'TRADING', series };
  server.pairs.set(`BTC${quote}`, pair);
  const access = { source: 'binance', baseUrl: server.url, allowance: BINANCE_ALLOWANCE };
  const client = sourceClient(access, tools);
  const exchange = asset_class === 'spot' ? binance(client) : binanceFutures(client);
  return {
    source: exchangeSource(exchange, tools.timing),
    instrument: { ...BTC, asset_class, quote_currency: quote },
    server,
    series,
    halt: () => {
      pair.status = asset_class === 'spot' ? 'BREAK' : 'SETTLING';
    },
    tools,
  };
}

promisesOfExchanges('Binance spot', () => benchOf('spot'));
promisesOfExchanges('Binance perpetuals', () => benchOf('perp'));
promisesOfExchanges('Binance perpetuals in USDC', () => benchOf('perp', 'USDC'));
promisesOnLeaving('Binance spot', () => benchOf('spot'));
promisesOnLeaving('Binance perpetuals', () => benchOf('perp'));

test('a symbol that reads the same when written together is another one', async () => {
  const { source } = benchOf('spot');
  server.pairs.set('AUSDTUSDT', { base: 'AUSDT', quote: 'USDT', status: 'TRADING', series: seriesOf() });
  expect(await source.describe({ ...BTC, symbol: 'AUSDTU', quote_currency: 'SDT' })).toBeNull();
});

test('a pair that does not trade yet is not there', async () => {
  const { source, instrument } = benchOf('spot');
  server.pairs.set('BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'PRE_TRADING', series: seriesOf() });
  expect(await source.describe(instrument)).toBeNull();
});

test('an error other than that of an unknown symbol leaves the question open', async () => {
  const { source, instrument } = benchOf('spot');
  const refusal = { kind: 'status', status: 400 } as const;
  server.faults.push(refusal, refusal, refusal);
  await expect(source.describe(instrument)).rejects.toThrow('binance sent an unexpected reply: error undefined');
});

test('a contract that is no perpetual is not there', async () => {
  const { source, instrument } = benchOf('perp');
  expect(await source.describe({ ...instrument, symbol: 'ETH' })).toBeNull();
});

test.each([
  ['PERPETUAL', true],
  ['TRADIFI_PERPETUAL', true],
  ['CURRENT_QUARTER', false],
])('a contract of type %s is served: %s', async (contractType, served) => {
  const { source, instrument } = benchOf('perp');
  const { symbol: base, quote_currency: quoteAsset } = instrument;
  const contract = { symbol: `${base}${quoteAsset}`, contractType, quoteAsset, status: 'TRADING', onboardDate: LISTED };
  server.faults.push({ kind: 'text', text: JSON.stringify({ symbols: [contract] }) });
  expect((await source.describe(instrument)) !== null).toBe(served);
});

test('pages of a thousand, by time, without a gap between them', async () => {
  const { source, instrument } = benchOf('spot');
  const from = LISTED + DAY;
  await source.bars(instrument, '1m', from, from + 2_500 * MINUTE, NOW);
  const windows = server.asked.map((path) => new URL(path, server.url).searchParams);
  expect(windows.map((query) => [Number(query.get('startTime')), Number(query.get('endTime'))])).toEqual([
    [from, from + 1_000 * MINUTE - 1],
    [from + 1_000 * MINUTE, from + 2_000 * MINUTE - 1],
    [from + 2_000 * MINUTE, from + 2_500 * MINUTE - 1],
  ]);
});
