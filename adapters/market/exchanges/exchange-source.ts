import { BAR_SIZES, type BarSize, lengthOf } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type Listing, type MarketData, openCoverage } from '../../../domain/market/market-data.ts';
import type { AssetClass } from '../../../domain/market/venues.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Candle, seriesOf } from '../candles.ts';

/** The requests that differ between crypto exchanges; what follows from their answers is here once. */
export interface ExchangeApi {
  readonly source: string;
  readonly asset_class: AssetClass;
  /** The most bars that one request brings. */
  readonly perPage: number;
  /** null: it has never had this instrument, or does not trade it yet. */
  tradingStatus(instrument: Instrument): Promise<TradingStatus | null>;
  /**
   * The bars whose start lies in [from, to), in any order, at most `perPage` of them; others do no harm.
   * Buckets without trades may be missing.
   */
  page(instrument: Instrument, size: BarSize, from: Millis, to: Millis): Promise<readonly Candle[]>;
  /** The oldest start that it serves at `at`; missing where it has bars since the listing. */
  reach?(size: BarSize, at: Millis): Millis;
}

export interface TradingStatus {
  readonly trading: boolean;
  /** When it began to trade; null where the exchange does not say. */
  readonly listed_at: Millis | null;
}

/** Trade on exchanges stops for hours of maintenance; an instrument without a print for longer has left. */
const LEFT_AFTER = 5 * DAY;

/** Daily pages looked at for the beginning: more than any exchange is old. */
const DAILY_PAGES = 20;

/**
 * An exchange as a source of prices: long windows page by page, bars of UTC days and whole minutes only, ascending, each
 * once, and only those that have ended by `now`.
 */
export function exchangeSource(exchange: ExchangeApi, clock: { now(): Millis }): MarketData {
  const everything = [openCoverage(exchange.source, () => Number.NEGATIVE_INFINITY)];
  return {
    async describe(instrument) {
      if (instrument.asset_class !== exchange.asset_class) return null;
      const tradingStatus = await exchange.tradingStatus(instrument);
      return tradingStatus && listingOf(exchange, instrument, tradingStatus, clock.now());
    },
    async bars(instrument, size, from, to, now) {
      const length = lengthOf(size);
      const first = Math.ceil(from / length) * length;
      const end = Math.floor(Math.min(to, now) / length) * length;
      const candles: Candle[] = [];
      for (let start = first; start < end; start += exchange.perPage * length) {
        const stop = Math.min(end, start + exchange.perPage * length);
        candles.push(...(await exchange.page(instrument, size, start, stop)));
      }
      const wholeCandles = candles.filter(({ start }) => start >= first && start + length <= end);
      return seriesOf(exchange.source, size, wholeCandles);
    },
    async coverage({ market, asset_class }, at) {
      if (market !== 'crypto' || asset_class !== exchange.asset_class) return [];
      const { reach } = exchange;
      if (!reach) return everything;
      const depth = bySize((size) => at - reach(size, at));
      return [{ ...openCoverage(exchange.source, (size) => reach(size, at)), depth }];
    },
  };
}

function bySize<T>(of: (size: BarSize) => T): Readonly<Record<BarSize, T>> {
  return { '1m': of('1m'), '5m': of('5m'), '1h': of('1h'), '1d': of('1d') };
}

async function listingOf(
  exchange: ExchangeApi,
  instrument: Instrument,
  { trading, listed_at }: TradingStatus,
  now: Millis,
): Promise<Listing> {
  const today = Math.floor(now / DAY) * DAY;
  const oldest = listed_at ?? (await oldestDay(exchange, instrument, now)) ?? today;
  return {
    source: exchange.source,
    sizes: BAR_SIZES,
    history_from: Math.floor(oldest / DAY) * DAY,
    delisted_at: trading ? null : await leftAt(exchange, instrument, now),
    cadence: 'continuous',
  };
}

/** One page of days; none where the exchange serves only newer ones. */
async function daysOf(exchange: ExchangeApi, instrument: Instrument, to: Millis, now: Millis) {
  const from = to - exchange.perPage * DAY;
  return from < (exchange.reach?.('1d', now) ?? from) ? [] : exchange.page(instrument, '1d', from, to);
}

async function oldestDay(exchange: ExchangeApi, instrument: Instrument, now: Millis): Promise<Millis | null> {
  let oldest: Millis | null = null;
  for (let page = 0, to = Math.floor(now / DAY) * DAY + DAY; page < DAILY_PAGES; page++, to -= exchange.perPage * DAY) {
    const starts = (await daysOf(exchange, instrument, to, now)).map(({ start }) => start);
    if (starts.length === 0) break;
    oldest = Math.min(...starts, oldest ?? Number.POSITIVE_INFINITY);
  }
  return oldest;
}

/** The end of the minute of the last trade, found from the day and the hour that it lies in. */
async function leftAt(exchange: ExchangeApi, instrument: Instrument, now: Millis): Promise<Millis | null> {
  const day = await lastDay(exchange, instrument, now);
  if (day === null || now - day < LEFT_AFTER) return null;
  if (exchange.reach && day < exchange.reach('1m', now)) return day + DAY;
  const hour = lastTraded(await exchange.page(instrument, '1h', day, day + DAY)) ?? day;
  const minute = lastTraded(await exchange.page(instrument, '1m', hour, hour + HOUR)) ?? hour;
  return minute + MINUTE;
}

async function lastDay(exchange: ExchangeApi, instrument: Instrument, now: Millis): Promise<Millis | null> {
  const span = exchange.perPage * DAY;
  for (let page = 0, to = Math.ceil(now / DAY) * DAY; page < DAILY_PAGES; page++, to -= span) {
    const day = lastTraded(await daysOf(exchange, instrument, to, now));
    if (day !== null) return day;
  }
  return null;
}

function lastTraded(candles: readonly Candle[]): Millis | null {
  const starts = candles.filter(({ volume }) => volume !== 0).map(({ start }) => start);
  return starts.length === 0 ? null : Math.max(...starts);
}
