import type { Millis } from '../time.ts';

const RATIOS = [1.5, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 40, 50, 100];
/** In logarithms: the greatest distance of a leap from the ratio, since stocks do not open where they closed. */

const NEAR = 0.06;

const SMALLEST = Math.log(Math.min(...RATIOS)) - NEAR;

/** A corporate action in effect since `at`, the open of its ex-date. */
export interface CorporateAction {
  readonly at: Millis;
  readonly kind: 'split' | 'dividend';
  /** Split: new shares for each old one (2 for 2:1). Dividend: cash per share, in the units before `at`. */
  readonly value: number;
}

/** The fields of a daily row that adjustment needs. */
export interface DailyClose {
  readonly start: Millis;
  readonly close: number;
  /** The source's own split- and dividend-adjusted close, if it has one. */
  readonly adj_close: number | null;
}

export interface Factors {
  readonly split: number;
  readonly total: number;
}

/**
 * The factors of a bar by its start, from the daily rows (ascending) and the past actions: they convert its raw prices
 * into the units of today. A source's adjusted close takes precedence over its list of dividends.
 */
export function factorsOf(
  daily: readonly DailyClose[],
  actions: readonly CorporateAction[],
): (start: Millis) => Factors {
  const splits = actions.filter(({ kind }) => kind === 'split');
  const splitAt = (at: Millis) => splits.reduce((factor, split) => (split.at > at ? factor / split.value : factor), 1);
  const adjusted = daily.flatMap(({ start, close, adj_close }) =>
    adj_close === null ? [] : [{ start, factor: adj_close / close / splitAt(start) }],
  );
  const dividendAt = adjusted.length > 0 ? stepwise(adjusted) : paidOut(daily, actions);
  return (start) => {
    const split = splitAt(start);
    return { split, total: split * dividendAt(start) };
  };
}

interface Step {
  readonly start: Millis;
  readonly factor: number;
}

/** The factor of the last step at or before the instant; before the first step, the first. */
function stepwise(steps: readonly Step[]): (at: Millis) => number {
  return (at) => steps[Math.max(0, firstIndex(steps, (step) => step.start > at) - 1)]?.factor ?? 1;
}

/** Each dividend reduces every earlier price by its share of the last close before it. */
function paidOut(daily: readonly DailyClose[], actions: readonly CorporateAction[]): (at: Millis) => number {
  const shares = actions.flatMap(({ at, kind, value }) => {
    const before = daily[firstIndex(daily, ({ start }) => start >= at) - 1];
    return kind === 'dividend' && before ? [{ at, remaining: 1 - value / before.close }] : [];
  });
  return (at) => shares.reduce((factor, share) => (share.at > at ? factor * share.remaining : factor), 1);
}

/** The first index of an ascending list from which on the condition holds; the length if there is none. */
export function firstIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The usual split ratio that a leap of the price is near, old price over new one; null when it is near none. */
export function splitRatioNear(leap: number): number | null {
  if (Math.abs(Math.log(leap)) < SMALLEST) return null;
  return [...RATIOS, ...RATIOS.map((ratio) => 1 / ratio)].find((ratio) => isNear(leap, ratio)) ?? null;
}

function isNear(value: number, ratio: number): boolean {
  return Math.abs(Math.log(value / ratio)) < NEAR;
}
