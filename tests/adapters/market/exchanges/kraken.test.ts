import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { exchangeSource } from '../../../../adapters/market/exchanges/exchange-source.ts';
import { KRAKEN_ALLOWANCE, kraken } from '../../../../adapters/market/exchanges/kraken.ts';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import { OutOfReach } from '../../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { type KrakenServer, krakenServer } from '../../../harness/exchanges/kraken-server.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { type Bench, NOW, promisesOfExchanges, seriesOf } from './promises.ts';

let server: KrakenServer;
beforeEach(async () => {
  server = await krakenServer();
});
afterEach(() => server.close());

function open(): Bench {
  const tools = testTools(NOW);
  const series = seriesOf();
  server.pairs.set('XBTUSD', series);
  const access = { source: 'kraken', baseUrl: server.url, allowance: KRAKEN_ALLOWANCE };
  return {
    source: exchangeSource(kraken(sourceClient(access, tools), tools.timing), tools.timing),
    instrument: { market: 'crypto', symbol: 'BTC', venue: 'KRAKEN', asset_class: 'spot', quote_currency: 'USD' },
    server,
    series,
    tools,
    halt: () => undefined,
  };
}

promisesOfExchanges('Kraken', open);

const minute = Math.floor(NOW / MINUTE) * MINUTE;

test('the newest 719 final bars can be had', async () => {
  const { source, instrument } = open();
  const { bars } = await source.bars(instrument, '1m', minute - 719 * MINUTE, minute, NOW);
  expect(bars).toHaveLength(719);
  expect(server.asked).toHaveLength(1);
});

test('its coverage begins with them', async () => {
  const { source, instrument } = open();
  const [covered] = await source.coverage(instrument, NOW);
  expect(covered?.spans['1m']?.from).toBe(minute - 719 * MINUTE);
  expect(covered?.depth?.['1m']).toBe(NOW - (minute - 719 * MINUTE));
});

test('a window that begins before them is unavailable, not cut short', async () => {
  const { source, instrument } = open();
  await expect(source.bars(instrument, '1m', minute - 720 * MINUTE, minute, NOW)).rejects.toMatchObject({
    name: 'SourceUnavailable',
    message: 'kraken has the newest 720 bars of 1m only, which begin after this window (crypto:BTC:KRAKEN:spot:USD)',
  });
});

test('a window that ended before them is unavailable too', async () => {
  const { source, instrument } = open();
  const end = minute - 2_000 * MINUTE;
  await expect(source.bars(instrument, '1m', end - 60 * MINUTE, end, NOW)).rejects.toThrow('newest 720 bars');
});

test('an instrument that has traded less is there from its first bar on', async () => {
  const { source, instrument } = open();
  const young = { ...seriesOf(), since: minute - 90 * MINUTE };
  server.pairs.set('XBTUSD', young);
  expect((await source.bars(instrument, '1m', minute - 2_000 * MINUTE, minute, NOW)).bars).toHaveLength(90);
});

test('a window of 20 h is out of reach although silent minutes keep the reply below 720 candles', async () => {
  const { source, instrument, series } = open();
  for (let i = 1; i <= 9; i++) series.quiet.add(minute - i * 70 * MINUTE);
  const request = source.bars(instrument, '1m', minute - 20 * HOUR, minute, NOW);
  await expect(request).rejects.toBeInstanceOf(OutOfReach);
});

test('a window within the newest 720 minutes is whole although its first minutes are silent', async () => {
  const { source, instrument, series } = open();
  for (let i = 700; i <= 719; i++) series.quiet.add(minute - i * MINUTE);
  const { bars } = await source.bars(instrument, '1m', minute - 719 * MINUTE, minute, NOW);
  expect(bars.map(({ start }) => start)).toEqual(Array.from({ length: 699 }, (_, i) => minute - (699 - i) * MINUTE));
});

test('720 candles that reach further back because of silent minutes serve the older window', async () => {
  const { source, instrument, series } = open();
  server.counts = 'candles';
  for (let i = 1; i <= 100; i++) series.quiet.add(minute - i * MINUTE);
  const { bars } = await source.bars(instrument, '1m', minute - 819 * MINUTE, minute, NOW);
  expect(bars).toHaveLength(719);
});

test('a pair that has been silent since before the window began is served', async () => {
  const { source, instrument, series } = open();
  for (let i = 720; i <= 1_500; i++) series.quiet.add(minute - i * MINUTE);
  const { bars } = await source.bars(instrument, '1m', minute - 800 * MINUTE, minute, NOW);
  expect(bars).toHaveLength(719);
});

test('a window before everything that any size reaches is out of reach', async () => {
  const { source, instrument } = open();
  const end = NOW - 15 * 365 * DAY;
  await expect(source.bars(instrument, '1d', end - 3 * DAY, end, NOW)).rejects.toBeInstanceOf(OutOfReach);
});

test('a rate limit inside the answer is waited out', async () => {
  const { source, instrument, tools } = open();
  server.faults.push({ kind: 'text', text: '{"error":["EGeneral:Too many requests"]}' });
  expect((await source.bars(instrument, '1m', minute - 60 * MINUTE, minute, NOW)).bars).toHaveLength(60);
  expect(tools.logged).toMatchObject([
    { code: 'rate_limit' },
    { message: 'A market data source answers again', count: 1 },
  ]);
});

test('other errors leave the question open', async () => {
  const { source, instrument } = open();
  for (let i = 0; i < 3; i++) server.faults.push({ kind: 'text', text: '{"error":["EService:Unavailable"]}' });
  await expect(source.describe(instrument)).rejects.toThrow('kraken sent an unexpected reply: error EService');
});

test('a second passes between requests', async () => {
  const { source, instrument, tools } = open();
  for (let i = 0; i < 5; i++) await source.bars(instrument, '1h', minute - 120 * MINUTE, minute, NOW);
  expect(tools.slept).toEqual([1_000, 1_000, 1_000]);
});
