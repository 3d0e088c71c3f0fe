import type { Millis } from '../time.ts';
import { type Bar, type BarSize, groupedBy, lengthOf } from './bars.ts';
import type { Instrument } from './instrument.ts';

/** A year of minutes has 527,040. Columns of one value are short for any count, and a text may not be ours. */
const MOST_BARS = 1_000_000;

/** Bars that may be combined: of one source and size, with factors of one basis (`factorBasis`). */
export interface CachedSeries {
  readonly source: string;
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly basis: Millis;
}

/** A stretch of time with all of its bars: a minute that is missing here had no trades. */
export interface BarStretch {
  readonly from: Millis;
  readonly to: Millis;
  /** The bars that begin within [from, to), ascending, never overlapping. */
  readonly bars: readonly Bar[];
}

/** A stretch, or a part of one, and the fetch that returned it. */
export interface StoredStretch extends BarStretch {
  readonly fetch: string;
}

/** All stored days of an instrument at a source. */
export interface CachedDays {
  readonly source: string;
  /** The key of the instrument. */
  readonly instrument: string;
  readonly bars: readonly Bar[];
}

/** Fetched bars, so that each is fetched once. What the cache has lost can be fetched again. */
export interface BarCache {
  /**
   * Everything stored of the series that overlaps [from, to), in the order in which it was stored. A stretch may come
   * in several parts, with only those of its bars that overlap the requested time.
   */
  find(series: CachedSeries, from: Millis, to: Millis): Promise<readonly StoredStretch[]>;

  /**
   * Adds a stretch, also when it overlaps others: earlier ones stay as they are, and take precedence for ever. Storing
   * the same stretch at the same time is harmless.
   * @param names the newest statement about names that was known when the bars were asked for. Where a newer one was
   *   learned, or is being learned, nothing is stored: the bars may be of another security.
   */
  keep(series: CachedSeries, stretch: BarStretch, names?: number): Promise<void>;

  /** The days of each series, of its newest basis, in the order of source and instrument; of at most `limit` series. */
  days(limit: number): Promise<readonly CachedDays[]>;

  /** Removes the stretches of all series whose basis is neither 0 nor as late as `basis`; returns how many. */
  prune(basis: Millis): Promise<number>;
}

interface Interval {
  readonly from: Millis;
  readonly to: Millis;
}

export interface Cover {
  /** The bars of the covered part of the requested time, ascending. */
  readonly bars: readonly Bar[];
  /** The smallest stretch that contains everything uncovered; null when all is covered. */
  readonly missing: Interval | null;
}

/**
 * The bars of the stretches in [from, to). Where two overlap the first one is used, so that the result never changes.
 */
export function coverOf(stretches: readonly BarStretch[], from: Millis, to: Millis): Cover {
  let open: readonly Interval[] = from < to ? [{ from, to }] : [];
  const bars: Bar[] = [];
  for (const stretch of stretches) {
    const parts = open.flatMap((gap) => overlap(gap, stretch));
    bars.push(...stretch.bars.filter((bar) => parts.some((part) => part.from <= bar.start && bar.start < part.to)));
    open = open.flatMap((gap) => remainder(gap, stretch));
  }
  const [first, last] = [open[0], open.at(-1)];
  return {
    bars: bars.filter(({ end }) => end <= to).sort((a, b) => a.start - b.start),
    missing: first && last ? { from: first.from, to: last.to } : null,
  };
}

/** All bars of the stretches, the first of those that overlap. */
export function allBarsOf(stretches: readonly BarStretch[]): readonly Bar[] {
  const edges = stretches.flatMap(({ from, to }) => [from, to]);
  return coverOf(stretches, Math.min(...edges), Math.max(...edges)).bars;
}

function overlap(a: Interval, b: Interval): Interval[] {
  const both = { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
  return both.from < both.to ? [both] : [];
}

function remainder(gap: Interval, taken: Interval): Interval[] {
  const before = { from: gap.from, to: Math.min(gap.to, taken.from) };
  const after = { from: Math.max(gap.from, taken.to), to: gap.to };
  return [before, after].filter((part) => part.from < part.to);
}

/**
 * Bars as a text that stays readable for decades: a JSON object of columns in the order of RFC 8785, without spaces.
 * The same bars give the same text. A column of equal values is that one value; `start` counts on from `first`.
 * @throws TypeError for a number that is not finite
 */
export function barText(bars: readonly Bar[]): string {
  const first = bars[0]?.start ?? 0;
  const columns = {
    close: column(bars.map(({ close }) => close)),
    count: bars.length,
    first,
    high: column(bars.map(({ high }) => high)),
    length: column(bars.map(({ start, end }) => end - start)),
    low: column(bars.map(({ low }) => low)),
    open: column(bars.map(({ open }) => open)),
    split: column(bars.map(({ split }) => split)),
    step: column(bars.map(({ start }, i) => start - (bars[i - 1]?.start ?? first)).slice(1)),
    total: column(bars.map(({ total }) => total)),
    volume: column(bars.map(({ volume }) => volume)),
  };
  return JSON.stringify(columns);
}

/**
 * The bars of such a text.
 * @throws TypeError when it is not one
 */
export function barsOfText(text: string): Bar[] {
  const columns = objectIn(text);
  const { count, first } = columns;
  if (!isWhole(count) || !isWhole(first)) throw new TypeError('Bars have no count or no first start');
  if (count > MOST_BARS) throw new TypeError(`A text has at most ${MOST_BARS} bars`);
  const of = (name: string) => numbersOf(columns[name], count);
  const [open, high, low, close] = [of('open'), of('high'), of('low'), of('close')];
  const [length, split, total] = [of('length'), of('split'), of('total')];
  const volume = valuesOf(columns.volume, count);
  const step = numbersOf(columns.step, Math.max(0, count - 1));
  let start = first;
  return Array.from({ length: count }, (_, i) => {
    if (i > 0) start += step(i - 1);
    const prices = { open: open(i), high: high(i), low: low(i), close: close(i) };
    return { start, end: start + length(i), ...prices, volume: volume(i), split: split(i), total: total(i) };
  });
}

/**
 * Bars in stretches that begin at multiples of `count` bars since 1970, so that two series that share days share all
 * stretches except their first and last.
 */
export function inStretches(size: BarSize, bars: readonly Bar[], count: number): readonly (readonly Bar[])[] {
  const length = count * lengthOf(size);
  return [...groupedBy(bars, ({ start }) => Math.floor(start / length)).values()];
}

type Column = number | null | readonly (number | null)[];

function column(values: readonly (number | null)[]): Column {
  if (!values.every((value) => value === null || Number.isFinite(value))) throw new TypeError('A bar is not finite');
  const [first = 0] = values;
  return values.every((value) => value === first) ? first : values;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new TypeError('Bars are no JSON', { cause: error });
  }
  throw new TypeError('Bars are no object');
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function numbersOf(column: unknown, count: number): (i: number) => number {
  const value = valuesOf(column, count);
  return (i) => {
    const number = value(i);
    if (number === null) throw new TypeError('A column of bars lacks a number');
    return number;
  };
}

function valuesOf(column: unknown, count: number): (i: number) => number | null {
  if (!Array.isArray(column)) return () => numberOrNull(column);
  if (column.length !== count) throw new TypeError('A column of bars is of another length');
  return (i) => numberOrNull(column[i]);
}

function numberOrNull(value: unknown): number | null {
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new TypeError('A column of bars is not made of numbers');
}
