import { DAY, type Millis } from '../../../domain/time.ts';
import { type Fields, fieldsOf, listOf, MalformedAnswer, numberOf } from '../answer.ts';
import type { Candle } from '../candles.ts';

/** Rows of `{ t, o, h, l, c, v }`, as several stock sources send them; none where the answer has no list. */
export function lettered(rows: unknown, timeOfRow: (t: unknown) => Millis): Candle[] {
  return listOf(rows ?? []).map((row) => {
    const { t, o, h, l, c, v } = fieldsOf(row);
    const start = timeOfRow(t);
    if (start < 0) throw new MalformedAnswer('not a time');
    return {
      start,
      open: numberOf(o),
      high: numberOf(h),
      low: numberOf(l),
      close: numberOf(c),
      volume: numberOf(v),
    };
  });
}

/** An instant in UTC, `2026-02-27T14:30:00Z`. */
export function instantOf(value: unknown): Millis {
  const sent = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!(sent >= 0 && sent <= LATEST)) throw new MalformedAnswer('not a time');
  return sent;
}

/** 2100-01-01T00:00:00Z: calendars reach from 1970 to there. */
const LATEST = Date.UTC(2100, 0, 1);

/** 00:00 UTC of a date `YYYY-MM-DD`. */
export function dateOf(value: unknown): Millis {
  const date = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!(date >= 0 && date <= LATEST)) throw new MalformedAnswer('not a date');
  return date;
}

/** A number above 0: a split's side, a dividend. */
export function amountOf(row: Fields, name: string): number {
  const amount = numberOf(row[name]);
  if (!(amount > 0 && Number.isFinite(amount))) throw new MalformedAnswer(`no ${name}`);
  return amount;
}

/** `YYYY-MM-DD` in UTC. */
export function dateText(at: Millis): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The UTC day that an instant falls on. */
export function dayOf(at: Millis): Millis {
  return Math.floor(at / DAY) * DAY;
}
