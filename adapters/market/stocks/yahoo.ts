import type { BarSize } from '../../../domain/market/bars.ts';
import { calendarOf, timeZoneOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, listingCode } from '../../../domain/market/instrument.ts';
import { OutOfReach } from '../../../domain/market/market-data.ts';
import { numbersItsListings, stockVenue, usVenues } from '../../../domain/market/venues.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { isTimeZone, localDate } from '../../../domain/zoned-time.ts';
import { type Candle, fieldsOf, listOf, MalformedAnswer, numberOf, timeOf } from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import { perMinute } from './alpaca.ts';
import type { DatedAction } from './stock-history.ts';
import { amountOf, priced, type StockService, unitsOf } from './stock-source.ts';
import { tickerAt, YAHOO_NAMES } from './ticker-names.ts';

/** Yahoo publishes no limit; a client that asks much is locked out for hours. */
export const YAHOO_ALLOWANCE = perMinute(30);

interface Interval {
  readonly name: string;
  readonly length: Millis;
  /** How far back they go. */
  readonly back: Millis;
  /** How much of them one request brings. */
  readonly page: Millis;
}

const HALF_HOURS: Interval = { name: '30m', length: 30 * MINUTE, back: 59 * DAY, page: 59 * DAY };

const INTERVALS: Readonly<Record<BarSize, Interval>> = {
  '1m': { name: '1m', length: MINUTE, back: 29 * DAY, page: 7 * DAY },
  '5m': { name: '5m', length: 5 * MINUTE, back: 59 * DAY, page: 59 * DAY },
  '1h': { name: '1h', length: HOUR, back: 729 * DAY, page: 729 * DAY },
  '1d': { name: '1d', length: DAY, back: Number.POSITIVE_INFINITY, page: Number.POSITIVE_INFINITY },
};

/**
 * What bars of a size are put together from. Nothing documents where an hour begins after a lunch break: the two halves of
 * any hour that the source may send are there as half hours.
 */
function intervalOf(size: BarSize, { venue }: Instrument): Interval {
  const hasBreak = (stockVenue(venue)?.hours.at(-1)?.parts.length ?? 1) > 1;
  return size === '1h' && hasBreak ? HALF_HOURS : INTERVALS[size];
}

/** Quotes of US stocks are a quarter of an hour late, those of other exchanges up to half an hour. */
function delayOf({ venue }: Instrument): Millis {
  return usVenues().includes(venue) ? 16 * MINUTE : 30 * MINUTE;
}

const NOTHING: Chart = { candles: [], adjusted: new Map(), splits: [] };

/**
 * Stocks of all venues from the charts of Yahoo Finance, which are for personal use. Bars begin at the open of the
 * session; prices are in the units of today's shares, and those of a day that is under way, or too young, carry the time
 * of the last trade. Minutes without trades are there without prices, and sessions on weekends are not there at all.
 */
export function yahoo(client: SourceClient, clock: { now(): Millis }): StockService {
  return {
    source: client.source,
    cadence: 'continuous',
    prices: 'split_adjusted',
    delay: delayOf,
    step: (size, instrument) => intervalOf(size, instrument).length,
    async candles(instrument, size, from, to) {
      const { back, page } = intervalOf(size, instrument);
      if (from < clock.now() - back) throw new OutOfReach(`${client.source} has no ${size} bars so far back`);
      const candles: Candle[] = [];
      for (let start = from; start < to; start += page) {
        candles.push(
          ...(await chart(client, instrument, { size, from: start, to: Math.min(to, start + page) })).candles,
        );
      }
      return candles;
    },
    reach: (size, at, instrument) => at - intervalOf(size, instrument).back,
    async days(instrument, now) {
      const { candles, adjusted, splits } = await chart(client, instrument, { size: '1d', from: 0, to: now });
      return { candles, adjusted, actions: splits };
    },
  };
}

interface Chart {
  readonly candles: readonly Candle[];
  readonly adjusted: ReadonlyMap<Millis, number>;
  readonly splits: readonly DatedAction[];
}

function chart(
  client: SourceClient,
  instrument: Instrument,
  { size, from, to }: { readonly size: BarSize; readonly from: Millis; readonly to: Millis },
): Promise<Chart> {
  return client.ask({
    about: instrument,
    path: `/v8/finance/chart/${encodeURIComponent(nameAtYahoo(instrument))}`,
    query: {
      interval: intervalOf(size, instrument).name,
      period1: Math.floor(from / SECOND),
      period2: Math.ceil(to / SECOND),
      events: 'split',
      includePrePost: 'false',
    },
    answers: [404],
    read: (body, status) => (status === 404 ? unknownSymbol(body) : chartOf(body, instrument, size)),
  });
}

function unknownSymbol(body: unknown): Chart {
  const { error } = fieldsOf(fieldsOf(body).chart);
  if (fieldsOf(error).code !== 'Not Found') throw new MalformedAnswer('error 404');
  return NOTHING;
}

/** A stock of a venue outside the United States has the venue's suffix there too; other dots are hyphens. */
function nameAtYahoo({ symbol, venue }: Instrument): string {
  if (usVenues().includes(venue)) return tickerAt(YAHOO_NAMES, symbol);
  if (numbersItsListings(venue)) return `${listingCode(symbol)}.${venue === 'SSE' ? 'SS' : 'SZ'}`;
  const end = symbol.lastIndexOf('.');
  const ticker = symbol.slice(0, end).replace(/\.PR\.([A-Z])$/, '-P$1');
  return ticker.replaceAll('.', '-') + symbol.slice(end);
}

function chartOf(body: unknown, instrument: Instrument, size: BarSize): Chart {
  const [result] = listOf(fieldsOf(fieldsOf(body).chart).result);
  const { meta, timestamp, indicators, events } = fieldsOf(result);
  const { currency, exchangeTimezoneName } = fieldsOf(meta);
  const inUnits = unitsOf(currency, instrument);
  // A symbol of another market may read the same.
  if (inUnits === null) return NOTHING;
  const zone = zoneOf(exchangeTimezoneName, instrument);
  const times = listOf(timestamp ?? []).map((time) => timeOf(time, SECOND));
  const dates = size === '1d' ? times.map((time) => localDate(time, zone)) : [];
  const { quote, adjclose } = fieldsOf(indicators);
  const closes = listOf(fieldsOf(listOf(adjclose ?? [])[0] ?? {}).adjclose ?? []).map(numberOf);
  const starts = size === '1d' ? opensOf(instrument, dates, times) : times;
  return {
    candles: candlesOf(starts, fieldsOf(listOf(quote)[0])).map((candle) => priced(candle, inUnits)),
    adjusted: new Map(
      dates.flatMap((date, i): [Millis, number][] => {
        const close = closes[i] ?? Number.NaN;
        return close > 0 ? [[Date.parse(date), inUnits(close)]] : [];
      }),
    ),
    splits: Object.values(fieldsOf(fieldsOf(events ?? {}).splits ?? {})).map((row) => splitOf(row, zone)),
  };
}

/** The zone of the exchange as the source names it, else the venue's: the dates of days are those of its clocks. */
function zoneOf(sent: unknown, instrument: Instrument): string {
  return typeof sent === 'string' && isTimeZone(sent) ? sent : timeZoneOf(instrument);
}

/** Days begin at the open of their session, also the one under way; a date without a session leaves the time as it is. */
function opensOf(instrument: Instrument, dates: readonly string[], times: readonly Millis[]): readonly Millis[] {
  const calendar = calendarOf(instrument);
  return times.map((time, i) => calendar.onDate(dates[i] ?? '')?.open ?? time);
}

/** A row without any price is a time without trades. */
function candlesOf(starts: readonly Millis[], quote: Readonly<Record<string, unknown>>): Candle[] {
  const column = (name: string) => {
    const values = starts.length === 0 ? [] : listOf(quote[name]);
    if (values.length !== starts.length) throw new MalformedAnswer(`${name} of another length`);
    return values;
  };
  const [open, high, low, close, volume] = ['open', 'high', 'low', 'close', 'volume'].map(column);
  if (starts.some((start) => start < 0)) throw new MalformedAnswer('not a time');
  return starts.flatMap((start, i) => {
    const prices = [open, high, low, close].map((values) => values?.[i] ?? null);
    if (prices.every((price) => price === null)) return [];
    const [o, h, l, c] = prices.map(numberOf);
    return [{ start, open: o, high: h, low: l, close: c, volume: numberOf(volume?.[i] ?? null) } as Candle];
  });
}

function splitOf(value: unknown, zone: string): DatedAction {
  const row = fieldsOf(value);
  const ex_date = Date.parse(localDate(timeOf(row.date, SECOND), zone));
  return { ex_date, kind: 'split', value: amountOf(row, 'numerator') / amountOf(row, 'denominator') };
}
