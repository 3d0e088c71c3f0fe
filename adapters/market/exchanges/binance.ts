import type { BarSize } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { Millis } from '../../../domain/time.ts';
import { type Candle, candlesOf, fieldsOf, listOf, MalformedAnswer, timeOf } from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import type { ExchangeApi, TradingStatus } from './exchange-source.ts';

/** Half of the 6,000 a minute that one address may spend; a request for klines weighs 2, one for a symbol 20. */
export const BINANCE_ALLOWANCE = { perSecond: 50, burst: 500 };

/** Half of the 2,400 a minute of the futures interface, which counts on its own. */
export const BINANCE_FUTURES_ALLOWANCE = { perSecond: 20, burst: 200 };

/** Spot pairs. Klines begin and end on UTC time, come oldest first and are there for minutes without trades too. */
export function binance(client: SourceClient): ExchangeApi {
  const klines = { path: '/api/v3/klines', cost: 2 };
  const perPage = 1_000;
  return {
    source: client.source,
    asset_class: 'spot',
    perPage,
    async tradingStatus(instrument) {
      const trading = await client.ask({
        about: instrument,
        path: '/api/v3/exchangeInfo',
        query: { symbol: symbolOf(instrument) },
        cost: 20,
        answers: [400],
        read: (body, status) => (status === 400 ? unknownSymbol(body) : spotStatus(body, instrument)),
      });
      if (trading === null) return null;
      const [first] = await page(client, klines, instrument, '1d', { startTime: 0, limit: 1 });
      return { trading, listed_at: first?.start ?? null };
    },
    page: (instrument, size, from, to) =>
      page(client, klines, instrument, size, { startTime: from, endTime: to - 1, limit: perPage }),
  };
}

/** Linear perpetual contracts, at the last trade's price. */
export function binanceFutures(client: SourceClient): ExchangeApi {
  // Pages of 1,000 weigh 5 and those of 1,500 twice as much.
  const klines = { path: '/fapi/v1/klines', cost: 5 };
  const perPage = 1_000;
  return {
    source: client.source,
    asset_class: 'perp',
    perPage,
    // The interface lists all contracts or none.
    tradingStatus: (instrument) =>
      client.ask({ about: instrument, path: '/fapi/v1/exchangeInfo', read: (body) => contractOf(body, instrument) }),
    page: (instrument, size, from, to) =>
      page(client, klines, instrument, size, { startTime: from, endTime: to - 1, limit: perPage }),
  };
}

const COLUMNS = { start: 0, open: 1, high: 2, low: 3, close: 4, volume: 5 };

interface Klines {
  readonly path: string;
  readonly cost: number;
}

function page(
  client: SourceClient,
  klines: Klines,
  instrument: Instrument,
  interval: BarSize,
  window: Readonly<Record<string, Millis>>,
): Promise<readonly Candle[]> {
  return client.ask({
    about: instrument,
    ...klines,
    query: { symbol: symbolOf(instrument), interval, ...window },
    read: (body) => candlesOf(body, COLUMNS, 1),
  });
}

function symbolOf({ symbol, quote_currency }: Instrument): string {
  return `${symbol}${quote_currency}`;
}

/** Invalid symbol, and characters or a length that no symbol has. */
const NO_SYMBOL: readonly unknown[] = [-1121, -1100];

function unknownSymbol(body: unknown): null {
  const { code } = fieldsOf(body);
  if (!NO_SYMBOL.includes(code)) throw new MalformedAnswer(`error ${code}`);
  return null;
}

function spotStatus(body: unknown, instrument: Instrument): boolean | null {
  const listed = listedIn(body, instrument);
  return listed === undefined || listed.status === 'PRE_TRADING' ? null : listed.status === 'TRADING';
}

/** Perpetual contracts on coins, and those on shares, metals and funds, which trade alike. */
const PERPETUALS: readonly unknown[] = ['PERPETUAL', 'TRADIFI_PERPETUAL'];

function contractOf(body: unknown, instrument: Instrument): TradingStatus | null {
  const listed = listedIn(body, instrument);
  if (!PERPETUALS.includes(listed?.contractType) || !listed || listed.status === 'PENDING_TRADING') return null;
  return { trading: listed.status === 'TRADING', listed_at: timeOf(listed.onboardDate, 1) };
}

/** By its quote too: another pair might read the same when written together. */
function listedIn(body: unknown, instrument: Instrument) {
  return listOf(fieldsOf(body).symbols)
    .map(fieldsOf)
    .find(({ symbol, quoteAsset }) => symbol === symbolOf(instrument) && quoteAsset === instrument.quote_currency);
}
