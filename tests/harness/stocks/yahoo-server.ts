import type { Calendar, Segment, TradingSession } from '../../../domain/market/calendar.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from '../exchanges/fault-server.ts';
import { candlesWithin, type MadeCandle, priceAt } from '../exchanges/made-series.ts';
import { type MadeDay, type MadeStock, NEW_YORK, openOf } from './made-stock.ts';

export interface YahooServer extends FaultServer {
  readonly stocks: Map<string, MadeStock>;
  currency: string;
  /** As it names the zone of an exchange; not in the answer where it is null. */
  zone: string | null;
}

const LENGTHS: Readonly<Record<string, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '30m': 30 * MINUTE, '1h': HOUR };
const BACK: Readonly<Record<string, Millis>> = { '1m': 30 * DAY, '5m': 60 * DAY, '30m': 60 * DAY, '1h': 730 * DAY };
const AT_ONCE: Readonly<Record<string, Millis>> = { '1m': 8 * DAY };

/** The charts of Yahoo Finance as far as prices need them, in the form that they have. */
export async function yahooServer(): Promise<YahooServer> {
  const stocks = new Map<string, MadeStock>();
  const settings: Pick<YahooServer, 'currency' | 'zone'> = { currency: 'USD', zone: null };
  const server = await faultServer(({ pathname, searchParams }) => {
    const symbol = decodeURIComponent(pathname.replace('/v8/finance/chart/', ''));
    const stock = stocks.get(symbol);
    return stock ? chart(symbol, stock, searchParams, settings) : NOT_FOUND;
  });
  return Object.assign(settings, { ...server, stocks });
}

interface Row extends Pick<MadeCandle, 'start'> {
  readonly prices: readonly (number | string | null)[];
  readonly volume: number | null;
  readonly adj_close: number | null;
}

function chart(
  symbol: string,
  stock: MadeStock,
  query: URLSearchParams,
  { currency, zone }: Pick<YahooServer, 'currency' | 'zone'>,
): Answer {
  const interval = query.get('interval') ?? '';
  const [from, to] = [Number(query.get('period1')) * 1_000, Number(query.get('period2')) * 1_000];
  const { now } = stock.series;
  if (from < now - (BACK[interval] ?? Number.POSITIVE_INFINITY)) return TOO_FAR;
  if (to - from > (AT_ONCE[interval] ?? Number.POSITIVE_INFINITY)) return TOO_FAR;
  const rows = interval === '1d' ? days(stock, from, to) : minutes(stock, interval, from, to);
  const column = (i: number) => rows.map(({ prices }) => prices[i]);
  const volume = rows.map((row) => row.volume);
  const [open, high, low, close] = [0, 1, 2, 3].map(column);
  const result = {
    meta: {
      currency,
      ...(zone === null ? {} : { exchangeTimezoneName: zone }),
      symbol,
      exchangeName: 'NMS',
      instrumentType: 'EQUITY',
      dataGranularity: interval,
    },
    ...(rows.length > 0 ? { timestamp: rows.map(({ start }) => start / 1_000) } : {}),
    ...(interval === '1d' && stock.splits.length > 0 ? { events: { splits: splits(stock) } } : {}),
    indicators: {
      quote: [rows.length > 0 ? { open, high, low, close, volume } : {}],
      ...(interval === '1d' ? { adjclose: [{ adjclose: rows.map(({ adj_close }) => adj_close) }] } : {}),
    },
  };
  return { status: 200, json: { chart: { result: [result], error: null } } };
}

/** The day that is under way carries the time of the last trade. Sessions on weekends are missing. */
function days(stock: MadeStock, from: Millis, to: Millis): Row[] {
  const { now } = stock.series;
  return stock.days
    .map((day) => ({ ...day, open_at: openOf(day.date, stock.calendar) }))
    .filter(({ date, open_at }) => isWeekday(date) && open_at >= from && open_at < to && open_at <= now)
    .map((day) => ({
      start: now < calendarOf(stock).currentOrNext(day.open_at).close ? Math.floor(now / 1_000) * 1_000 : day.open_at,
      prices: pricesOf(day, unitsAt(stock, day.open_at)),
      volume: day.volume,
      adj_close: day.adj_close,
    }));
}

function pricesOf({ open, high, low, close }: MadeDay, by: number): number[] {
  return [open, high, low, close].map((price) => price * by);
}

/**
 * Within sessions alone, hours from their open, over a lunch break; a time without trades has a row without prices.
 * Half hours begin anew after a break.
 */
function minutes(stock: MadeStock, interval: string, from: Millis, to: Millis): Row[] {
  const { series } = stock;
  const length = LENGTHS[interval] ?? Number.NaN;
  const whole = { ...series, quiet: new Set<Millis>() };
  const sessions = calendarOf(stock)
    .sessions(from, to)
    .filter(({ date }) => isWeekday(date));
  const candles =
    length < 30 * MINUTE
      ? candlesWithin(whole, length, from, to)
      : sessions.flatMap((session) => (interval === '1h' ? [session] : session.segments)).flatMap(partsOf(length));
  return candles
    .filter(({ start }) => start >= from && start < to && start <= series.now)
    .filter(({ start }) => isTraded(sessions, start))
    .map((candle) => rowOf(candle, series.quiet.has(candle.start), unitsAt(stock, candle.start)));
}

function isWeekday(date: string): boolean {
  return new Date(date).getUTCDay() % 6 !== 0;
}

function isTraded(sessions: readonly TradingSession[], at: Millis): boolean {
  return sessions.some(({ segments }) => segments.some(({ open, close }) => open <= at && at < close));
}

function partsOf(length: Millis): (span: Segment) => MadeCandle[] {
  return ({ open, close }) =>
    Array.from({ length: Math.ceil((close - open) / length) }, (_, i) => {
      const start = open + i * length;
      const [first, last] = [priceAt(start), priceAt(Math.min(start + length, close))];
      const range = { high: Math.max(first, last), low: Math.min(first, last) };
      const text = { open: first, ...range, close: last, volume: 1 };
      return { start, ...(Object.fromEntries(Object.entries(text).map(([k, v]) => [k, v.toFixed(8)])) as Texts) };
    });
}

function calendarOf({ calendar = NEW_YORK }: MadeStock): Calendar {
  return calendar;
}

type Texts = Omit<MadeCandle, 'start'>;

function rowOf(candle: MadeCandle, quiet: boolean, by: number): Row {
  const prices = [candle.open, candle.high, candle.low, candle.close].map((price) =>
    quiet ? null : Number(price) * by,
  );
  return { start: candle.start, prices, volume: quiet ? null : 1, adj_close: null };
}

/** Past splits change the prices that Yahoo returns for the days before them. */
function unitsAt({ splits, series, calendar }: MadeStock, at: Millis): number {
  return splits
    .filter(({ ex_date }) => openOf(ex_date, calendar) > at && openOf(ex_date, calendar) <= series.now)
    .reduce((by, { to, from }) => (by * from) / to, 1);
}

function splits({ splits: all, calendar }: MadeStock): object {
  return Object.fromEntries(
    all.map(({ ex_date, to, from }) => {
      const date = openOf(ex_date, calendar) / 1_000;
      return [date, { date, numerator: to, denominator: from, splitRatio: `${to}:${from}` }];
    }),
  );
}

const NOT_FOUND: Answer = {
  status: 404,
  json: {
    chart: { result: null, error: { code: 'Not Found', description: 'No data found, symbol may be delisted' } },
  },
};
const TOO_FAR: Answer = {
  status: 422,
  json: { chart: { result: null, error: { code: 'Unprocessable Entity', description: 'data not available' } } },
};
