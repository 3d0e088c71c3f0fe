import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { COINBASE_ALLOWANCE, coinbase } from '../../../../adapters/market/exchanges/crypto-sources.ts';
import { exchangeSource } from '../../../../adapters/market/exchanges/exchange-source.ts';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { type CoinbaseServer, coinbaseServer } from '../../../harness/exchanges/coinbase-server.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { type Bench, LISTED, NOW, promisesOfExchanges, promisesOnLeaving, seriesOf } from './promises.ts';

let server: CoinbaseServer;
beforeEach(async () => {
  server = await coinbaseServer();
});
afterEach(() => server.close());

function open(): Bench {
  const tools = testTools(NOW);
  const series = seriesOf();
  const product = { status: 'online', series };
  server.products.set('BTC-USD', product);
  const access = { source: 'coinbase', baseUrl: server.url, allowance: COINBASE_ALLOWANCE };
  return {
    source: exchangeSource(coinbase(sourceClient(access, tools)), tools.timing),
    instrument: { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
    server,
    series,
    tools,
    halt: () => {
      product.status = 'delisted';
    },
  };
}

promisesOfExchanges('Coinbase', open);
promisesOnLeaving('Coinbase', open);

test('pages of 300, each within what Coinbase allows', async () => {
  const { source, instrument } = open();
  const { bars } = await source.bars(instrument, '1m', LISTED, LISTED + 700 * MINUTE, NOW);
  expect(bars).toHaveLength(700);
  expect(server.asked).toHaveLength(3);
  expect(server.asked[0]).toContain('start=2026-01-05T00%3A00%3A00.000Z&end=2026-01-05T04%3A59%3A00.000Z');
});

test('the beginning is found page by page', async () => {
  const { source, instrument } = open();
  await source.describe(instrument);
  // The product, the days that there are, and the page before them, which is empty.
  expect(server.asked).toHaveLength(3);
});
