import type { BarSize } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type MarketData, OutOfReach } from '../../../domain/market/market-data.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { type Candle, fieldsOf, listOf, MalformedAnswer, numberOf, timeOf } from '../candles.ts';
import { type SourceClient, type SourceTools, sourceClient } from '../source-client.ts';
import { type AlpacaFeed, alpaca, alpacaHeaders, perMinute } from './alpaca.ts';
import { massive, massiveHeaders } from './massive.ts';
import type { DatedAction } from './stock-history.ts';
import { amountOf, dayOf, type StockService, stockSource } from './stock-source.ts';
import { tickerAt, YAHOO_NAMES } from './ticker-names.ts';

/** Yahoo publishes no limit; a client that asks much is locked out for hours. */
export const YAHOO_ALLOWANCE = perMinute(30);

/** How far back bars of a size go, and how much of them one request brings. */
const REACH: Readonly<Record<BarSize, { readonly back: Millis; readonly page: Millis }>> = {
  '1m': { back: 29 * DAY, page: 7 * DAY },
  '5m': { back: 59 * DAY, page: 59 * DAY },
  '1h': { back: 729 * DAY, page: 729 * DAY },
  '1d': { back: Number.POSITIVE_INFINITY, page: Number.POSITIVE_INFINITY },
};

const NOTHING: Chart = { candles: [], adjusted: new Map(), splits: [] };

const INTERVALS: Readonly<Record<BarSize, string>> = { '1m': '1m', '5m': '5m', '1h': '1h', '1d': '1d' };

/** The sources of US stock prices that can be asked, by the names that configuration and outcomes use. */
export const STOCK_SOURCES = ['alpaca', 'massive', 'yahoo'] as const;
export type StockSource = (typeof STOCK_SOURCES)[number];

/** What each source wants to know; null where there is no key. */
export interface StockAccess {
  readonly alpaca: {
    readonly url: string;
    readonly key: string;
    readonly secret: string;
    readonly feed: AlpacaFeed;
    readonly perMinute: number;
  } | null;
  readonly massive: {
    readonly url: string;
    readonly key: string;
    readonly years: number;
    readonly perMinute: number;
  } | null;
  readonly yahoo: { readonly url: string };
}

export interface StockSources {
  /** Those of the list that there is access to, in its order. */
  of(names: readonly StockSource[]): readonly MarketData[];
  /** The requests of one source, without its history of days; null without access. */
  service(name: StockSource): StockService | null;
  health(): readonly SourceHealth[];
}

/** Each source behind a client of its own, made when it is first wanted. Nothing is asked yet. */
export function stockSources(access: StockAccess, tools: SourceTools): StockSources {
  const clients: SourceClient[] = [];
  const services: Readonly<Record<StockSource, () => StockService | null>> = {
    alpaca: () => access.alpaca && onAlpaca(access.alpaca, tools, clients),
    massive: () => access.massive && onMassive(access.massive, tools, clients),
    yahoo: () => {
      const client = sourceClient({ source: 'yahoo', baseUrl: access.yahoo.url, allowance: YAHOO_ALLOWANCE }, tools);
      clients.push(client);
      return yahoo(client, tools.timing);
    },
  };
  return {
    service: (name) => services[name](),
    of: (names) =>
      names.flatMap((name) => {
        const service = services[name]();
        return service ? [stockSource(service, tools.timing)] : [];
      }),
    health: () => clients.map((client) => client.health()),
  };
}

function onAlpaca(
  { url, feed, perMinute: requests, ...keys }: NonNullable<StockAccess['alpaca']>,
  tools: SourceTools,
  clients: SourceClient[],
): StockService {
  const place = { source: 'alpaca', baseUrl: url, allowance: perMinute(requests), headers: alpacaHeaders(keys) };
  const client = sourceClient(place, tools);
  clients.push(client);
  return alpaca(client, { feed });
}

function onMassive(
  { url, key, years, perMinute: requests }: NonNullable<StockAccess['massive']>,
  tools: SourceTools,
  clients: SourceClient[],
): StockService {
  const place = { source: 'massive', baseUrl: url, allowance: perMinute(requests), headers: massiveHeaders(key) };
  const client = sourceClient(place, tools);
  clients.push(client);
  return massive(client, { baseUrl: url, years });
}

/**
 * US stocks from the charts of Yahoo Finance, which are for personal use. Bars begin at the open of the session; prices
 * are in the units of today's shares, and those of a day that is under way, or too young, carry the time of the last
 * trade. Minutes without trades are there without prices.
 */
export function yahoo(client: SourceClient, clock: { now(): Millis }): StockService {
  return {
    source: client.source,
    cadence: 'continuous',
    prices: 'split_adjusted',
    delay: 16 * MINUTE,
    steps: { '1m': MINUTE, '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY },
    async candles(instrument, size, from, to) {
      const { back, page } = REACH[size];
      if (from < clock.now() - back) throw new OutOfReach(`${client.source} has no ${size} bars so far back`);
      const candles: Candle[] = [];
      for (let start = from; start < to; start += page) {
        candles.push(
          ...(await chart(client, instrument, { size, from: start, to: Math.min(to, start + page) })).candles,
        );
      }
      return candles;
    },
    reach: (size, at) => at - REACH[size].back,
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
    path: `/v8/finance/chart/${encodeURIComponent(tickerAt(YAHOO_NAMES, instrument.symbol))}`,
    query: {
      interval: INTERVALS[size],
      period1: Math.floor(from / SECOND),
      period2: Math.ceil(to / SECOND),
      events: 'split',
      includePrePost: 'false',
    },
    answers: [404],
    read: (body, status) => (status === 404 ? unknownSymbol(body) : chartOf(body, instrument)),
  });
}

function unknownSymbol(body: unknown): Chart {
  const { error } = fieldsOf(fieldsOf(body).chart);
  if (fieldsOf(error).code !== 'Not Found') throw new MalformedAnswer('error 404');
  return NOTHING;
}

function chartOf(body: unknown, { quote_currency }: Instrument): Chart {
  const [result] = listOf(fieldsOf(fieldsOf(body).chart).result);
  const { meta, timestamp, indicators, events } = fieldsOf(result);
  // A symbol of another market may read the same.
  if (fieldsOf(meta).currency !== quote_currency) return NOTHING;
  const starts = listOf(timestamp ?? []).map((time) => timeOf(time, SECOND));
  const { quote, adjclose } = fieldsOf(indicators);
  const closes = fieldsOf(listOf(adjclose ?? [])[0] ?? {}).adjclose;
  return {
    candles: candlesOf(starts, fieldsOf(listOf(quote)[0])),
    adjusted: adjustedOf(starts, listOf(closes ?? [])),
    splits: Object.values(fieldsOf(fieldsOf(events ?? {}).splits ?? {})).map(splitOf),
  };
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

function adjustedOf(starts: readonly Millis[], closes: readonly unknown[]): ReadonlyMap<Millis, number> {
  const known = starts.map((start, i): [Millis, number] => [dayOf(start), numberOf(closes[i])]);
  return new Map(known.filter(([, close]) => close > 0));
}

function splitOf(value: unknown): DatedAction {
  const row = fieldsOf(value);
  const ex_date = dayOf(timeOf(row.date, SECOND));
  return { ex_date, kind: 'split', value: amountOf(row, 'numerator') / amountOf(row, 'denominator') };
}
