import { soundBars } from '../../domain/market/bar-inspection.ts';
import { type Bar, type BarSize, lengthOf } from '../../domain/market/bars.ts';
import { type BarSeries, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Millis } from '../../domain/time.ts';

/** Ten years of minutes, with room to spare. */
const MOST_PAGES = 500;

/** A source answered in another form than it documents. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** A source said within a well-formed answer that it is asked too often. */
export class AskedTooOften extends Error {
  override readonly name = 'AskedTooOften';
}

/** 2100-01-01T00:00:00Z */
const LATEST = Date.UTC(2100, 0, 1);

/** No sign, no hexadecimal, no blank: `Number` reads an empty text as 0. */
const DECIMAL = /^\d+(\.\d*)?([eE][+-]?\d{1,3})?$/;

/** A bar as an exchange sends it; a price that could not be read is NaN. */
export interface Candle extends Pick<Bar, 'open' | 'high' | 'low' | 'close'> {
  readonly start: Millis;
  readonly volume: number;
}

/** Where the fields of a candle lie in an exchange's row. */
export type CandleColumns = Readonly<Record<keyof Candle, number>>;

/**
 * Rows as candles. A row without a time makes the answer malformed, because it is not known which one is missing; prices
 * that cannot be read cost that row alone.
 */
export function candlesOf(rows: unknown, columns: CandleColumns, unit: Millis): Candle[] {
  return listOf(rows).map((row) => {
    const cells = listOf(row);
    const cell = (name: keyof Candle) => cells[columns[name]];
    return {
      start: timeOf(cell('start'), unit),
      open: numberOf(cell('open')),
      high: numberOf(cell('high')),
      low: numberOf(cell('low')),
      close: numberOf(cell('close')),
      volume: numberOf(cell('volume')),
    };
  });
}

/** Candles in whatever order and number as one series: each once, the one sent last, and only on the grid of the size. */
export function seriesOf(source: string, size: BarSize, candles: readonly Candle[]): BarSeries {
  const length = lengthOf(size);
  const each = [...new Map(candles.map((candle) => [candle.start, candle])).values()];
  const bars = each
    .filter(({ start, volume }) => start % length === 0 && volume >= 0)
    .sort((a, b) => a.start - b.start)
    .map((candle) => ({ ...candle, end: candle.start + length, split: 1, total: 1 }));
  const sound = soundBars(bars).bars;
  return { source, size, bars: sound, dropped: each.length - sound.length };
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedAnswer('not an object');
  return value as Fields;
}

export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedAnswer('not a list');
  return value;
}

export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new MalformedAnswer('not a text');
  return value;
}

/** A whole number within the years that the service knows, as JSON number or in digits. */
export function timeOf(value: unknown, unit: Millis): Millis {
  const time = numberOf(value) * unit;
  if (!Number.isSafeInteger(time) || time < 0 || time > LATEST) throw new MalformedAnswer('not a time');
  return time;
}

/** A price or volume, as JSON number or in digits; NaN for what is none, so that the row is dropped and counted. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : Number.NaN;
}

export interface PageOfRows<T> {
  readonly rows: readonly T[];
  /** What leads to the next page; null on the last one. */
  readonly next: string | null;
}

/** The rows of all pages. A source that leads in circles, or never ends, is unavailable. */
export async function everyPage<T>(
  source: string,
  ask: (next: string | null) => Promise<PageOfRows<T>>,
): Promise<readonly T[]> {
  const pages: (readonly T[])[] = [];
  const seen = new Set<string | null>();
  let next: string | null = null;
  do {
    if (seen.has(next) || pages.length === MOST_PAGES) throw new SourceUnavailable(`${source} has no last page`);
    seen.add(next);
    const page: PageOfRows<T> = await ask(next);
    pages.push(page.rows);
    next = page.next;
  } while (next !== null);
  return pages.flat();
}
