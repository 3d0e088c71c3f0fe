import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { venuesWith } from '../../../domain/market/venues.ts';
import { DAY } from '../../../domain/time.ts';
import { openMarketData } from '../../../infrastructure/compose/market-sources.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { manifest, type TemporaryStore, temporaryStore } from '../../adapters/market/bar-store.ts';
import { testTools } from '../../harness/exchanges/source-tools.ts';
import { openService } from '../../harness/service.ts';
import { type AlpacaServer, alpacaServer, KEYS } from '../../harness/stocks/alpaca-server.ts';
import { madeStock, openOf } from '../../harness/stocks/made-stock.ts';
import { KEY, type MassiveServer, massiveServer } from '../../harness/stocks/massive-server.ts';
import { type YahooServer, yahooServer } from '../../harness/stocks/yahoo-server.ts';

const NOW = Date.UTC(2026, 2, 2, 17, 45);
const at = (venue: string, symbol = 'MSFT', quote_currency = 'USD'): Instrument => ({
  market: 'stock',
  symbol,
  venue,
  asset_class: 'spot',
  quote_currency,
});

let store: TemporaryStore;
let alpaca: AlpacaServer;
let massive: MassiveServer;
let yahoo: YahooServer;
beforeEach(async () => {
  store = await temporaryStore();
  alpaca = await alpacaServer();
  massive = await massiveServer();
  yahoo = await yahooServer();
  for (const { stocks } of [alpaca, massive, yahoo]) stocks.set('MSFT', madeStock(Date.UTC(2025, 10, 3), NOW));
});
afterEach(async () => {
  for (const server of [alpaca, massive, yahoo]) await server.close();
  await store.remove();
});

function opened(MARKET_DATA_STOCKS: string) {
  const config = readConfig({
    DATA_DIR: store.folder,
    MARKET_DATA_BARS_DIR: store.folder,
    MARKET_DATA_STOCKS,
    MARKET_DATA_ALPACA_KEY: KEYS.key,
    MARKET_DATA_ALPACA_SECRET: KEYS.secret,
    MARKET_DATA_ALPACA_URL: alpaca.url,
    MARKET_DATA_MASSIVE_KEY: KEY,
    MARKET_DATA_MASSIVE_URL: massive.url,
    MARKET_DATA_MASSIVE_PER_MINUTE: '1000',
    MARKET_DATA_YAHOO_URL: yahoo.url,
  });
  const tools = testTools(NOW);
  return { tools, ...openMarketData(config.marketData, tools.log, tools.timing) };
}

async function writeFiles(path: string): Promise<void> {
  await store.write(`${path}/manifest.json`, JSON.stringify({ ...manifest, sizes: ['1d'] }));
  await store.write(`${path}/1d.csv`, 'start,end,open,high,low,close,volume\n');
}

test.each(['alpaca', 'massive', 'yahoo'])(
  '%s serves US stocks, with the keys and addresses that were sent',
  async (name) => {
    const { marketData, health } = opened(name);
    const from = openOf('2026-02-26');
    const series = await marketData.bars(at('NASDAQ'), '1d', from, from + 2 * DAY, NOW);
    expect(series).toMatchObject({ source: name, bars: [{ start: from }, { start: openOf('2026-02-27') }] });
    expect(health()).toContainEqual(expect.objectContaining({ source: name, state: 'healthy', failures: 0 }));
  },
);

test('the next in order serves what the one before it cannot', async () => {
  const { marketData } = opened('alpaca,massive,yahoo');
  expect(await marketData.describe(at('NYSE'))).toMatchObject({ source: 'alpaca' });
  await alpaca.close();
  massive.stocks.clear();
  const { marketData: reopened } = opened('alpaca,massive,yahoo');
  expect(await reopened.describe(at('NYSE'))).toMatchObject({ source: 'yahoo' });
});

test('bar files serve US stocks where they are in the list, and alone by default', async () => {
  await writeFiles('stock/NYSE/spot/OLD-USD');
  expect(await opened('alpaca,files').marketData.describe(at('NYSE', 'OLD'))).toMatchObject({ source: 'bar-files' });
  expect(await opened('alpaca').marketData.describe(at('NYSE', 'OLD'))).toBeNull();
  const { marketData } = openMarketData(
    readConfig({ DATA_DIR: store.folder, MARKET_DATA_BARS_DIR: store.folder }).marketData,
    testTools(NOW).log,
  );
  expect(await marketData.describe(at('NYSE', 'OLD'))).toMatchObject({ source: 'bar-files' });
});

test('stocks of other countries come from Yahoo where it is in the list, and else from their bar files', async () => {
  await writeFiles('stock/SSE/spot/600000-CNY');
  const SPDB = at('SSE', '600000', 'CNY');
  expect(await opened('alpaca,massive').marketData.describe(SPDB)).toMatchObject({ source: 'bar-files' });
  expect(await opened('files,yahoo').marketData.describe(SPDB)).toMatchObject({ source: 'bar-files' });
  expect([alpaca, massive, yahoo].flatMap(({ asked }) => asked)).toEqual([]);
  expect(await opened('alpaca,yahoo').marketData.describe(SPDB)).toMatchObject({ source: 'bar-files' });
  expect(yahoo.asked).toEqual([expect.stringContaining('/600000.SS?')]);
  yahoo.currency = 'CNY';
  yahoo.stocks.set('600000.SS', madeStock(Date.UTC(2025, 10, 3), NOW, calendarOf(SPDB)));
  expect(await opened('alpaca,yahoo').marketData.describe(SPDB)).toMatchObject({ source: 'yahoo' });
  expect([alpaca, massive].flatMap(({ asked }) => asked)).toEqual([]);
});

test('a source that is named without its key is a fault at start, which names only the source', () => {
  const read = () =>
    readConfig({
      DATA_DIR: store.folder,
      MARKET_DATA_STOCKS: 'alpaca,massive',
      MARKET_DATA_ALPACA_KEY: 'AKTESTKEY0001',
      MARKET_DATA_MASSIVE_KEY: 'canary\nkey',
    });
  expect(read).toThrow('MARKET_DATA_ALPACA_SECRET: missing, though MARKET_DATA_STOCKS names alpaca');
  expect(read).toThrow('MARKET_DATA_MASSIVE_KEY: what was sent cannot be used');
  expect(read).not.toThrow('canary');
});

test.each(['BINANCE', 'gate', 'GATE,GATE', 'GATE,'])('no further venue is %j', (MARKET_DATA_CCXT_VENUES) => {
  expect(() => readConfig({ DATA_DIR: store.folder, MARKET_DATA_CCXT_VENUES })).toThrow(
    `MARKET_DATA_CCXT_VENUES: ${JSON.stringify(MARKET_DATA_CCXT_VENUES)} cannot be used`,
  );
});

test('further venues are supported from the start, and say what they lack', async () => {
  const GATE: Instrument = { ...at('GATE', 'BTC', 'USDT'), market: 'crypto' };
  const config = readConfig({ DATA_DIR: store.folder, MARKET_DATA_CCXT_VENUES: 'GATE,KUCOIN' });
  const { marketData, health } = openMarketData(config.marketData, testTools(NOW).log);
  expect(venuesWith(config.marketData.ccxtVenues).namesOf('crypto')).toEqual(
    expect.arrayContaining(['BINANCE', 'GATE', 'KUCOIN']),
  );
  expect(health().map(({ source }) => source)).toEqual(expect.arrayContaining(['ccxt-gate', 'ccxt-kucoin']));
  await expect(marketData.describe(GATE)).rejects.toThrow('ccxt is not installed');
});

test('a service supports the further venues that it is configured with', async () => {
  const service = await openService('memory', { at: new Date(NOW), env: { MARKET_DATA_CCXT_VENUES: 'GATE' } });
  try {
    expect(service.ports.venues.named('GATE')).toMatchObject({ market: 'crypto' });
    expect(service.ports.venues.named('KUCOIN')).toBeUndefined();
  } finally {
    await service.close();
  }
});
