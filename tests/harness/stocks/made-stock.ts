import type { Calendar } from '../../../domain/market/calendar.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { HOUR, type Millis } from '../../../domain/time.ts';
import { type MadeSeries, priceAt } from '../exchanges/made-series.ts';

/** What a made source of stock prices knows of one symbol, prices as they were traded. */
export interface MadeStock {
  /** New York's where it is left out. */
  readonly calendar?: Calendar;
  /** Trades around the clock, so that what lies outside the sessions is there to be left out. */
  readonly series: MadeSeries;
  readonly days: MadeDay[];
  readonly splits: { readonly ex_date: string; readonly to: number; readonly from: number }[];
  readonly dividends: { readonly ex_date: string; readonly amount: number }[];
}

export interface MadeDay {
  /** `YYYY-MM-DD` at the venue. */
  readonly date: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** Adjusted for splits and dividends. */
  readonly adj_close: number;
}

export const NEW_YORK = calendarOf({ market: 'stock', venue: 'NASDAQ' });

/** A stock without splits and dividends: each day opens and closes at the price of its instant. */
export function madeStock(since: Millis, now: Millis, calendar: Calendar = NEW_YORK): MadeStock {
  const series = { since, now, quiet: new Set<Millis>(), wrong: new Map(), until: Number.POSITIVE_INFINITY };
  const days = calendar.sessions(since, now).map(({ date, open, close }) => ({
    date,
    open: priceAt(open),
    high: Math.max(priceAt(open), priceAt(close)),
    low: Math.min(priceAt(open), priceAt(close)),
    close: priceAt(close),
    volume: 1_000,
    adj_close: priceAt(close),
  }));
  return { calendar, series, days, splits: [], dividends: [] };
}

/** The open of the session of a date; on a day without one, that of the next. */
export function openOf(date: string, calendar: Calendar = NEW_YORK): Millis {
  return (calendar.onDate(date) ?? calendar.currentOrNext(Date.parse(date))).open;
}

/** 00:00 New York: every session opens nine and a half hours later. */
export function midnightOf(date: string): Millis {
  return openOf(date) - 9.5 * HOUR;
}

/** One row of all, changed. */
export function changeDay(stock: MadeStock, date: string, change: Partial<MadeDay>): void {
  const at = stock.days.findIndex((day) => day.date === date);
  const day = stock.days[at];
  if (!day) throw new Error(`There is no ${date}`);
  stock.days[at] = { ...day, ...change };
}
