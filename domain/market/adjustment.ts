import type { Millis } from '../time.ts';
import { groupedBy, type RawBar } from './bars.ts';
import type { Calendar } from './calendar.ts';

const RATIOS = [1.5, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 40, 50, 100];
/** In logarithms: the greatest distance of a leap from the ratio, since stocks do not open where they closed. */
const NEAR = 0.06;

/** No dividend is a larger share of the close before it, and no split has a larger ratio (evaluation-3.md section 4). */
const LARGEST_DIVIDEND = 0.9;
const LARGEST_SPLIT = 5_000;

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
  const known = distinctActions(actions);
  const splits = known.filter(isPossibleSplit);
  const splitAt = (at: Millis) => splits.reduce((factor, split) => (split.at > at ? factor / split.value : factor), 1);
  const adjusted = daily.flatMap(({ start, close, adj_close }) =>
    adj_close === null ? [] : [{ start, factor: adj_close / close / splitAt(start) }],
  );
  const dividendAt = adjusted.length > 0 ? stepwise(adjusted) : paidOut(daily, known);
  return (start) => {
    const split = splitAt(start);
    return { split, total: split * dividendAt(start) };
  };
}

/** Prices as they were traded, from those that are adjusted for splits. */
export function asTraded(rows: readonly RawBar[], actions: readonly CorporateAction[]): readonly RawBar[] {
  const factors = factorsOf([], actions);
  return rows.map((row) => {
    const { split } = factors(row.start);
    const [open, high, low, close] = [row.open / split, row.high / split, row.low / split, row.close / split];
    return { ...row, open, high, low, close, volume: row.volume === null ? null : row.volume * split };
  });
}

interface Step {
  readonly start: Millis;
  readonly factor: number;
}

/** The factor of the last step at or before the instant; before the first step, the first. */
function stepwise(steps: readonly Step[]): (at: Millis) => number {
  return (at) => steps[Math.max(0, firstIndex(steps, (step) => step.start > at) - 1)]?.factor ?? 1;
}

/** Equal rows of a date are one. */
export function distinctActions(actions: readonly CorporateAction[]): readonly CorporateAction[] {
  return [...new Map(actions.map((action) => [`${action.at} ${action.kind} ${action.value}`, action])).values()];
}

/**
 * What is wrong with rows of splits and dividends, each with its date; empty where all can be believed
 * (evaluation-3.md section 4).
 * @param daily ascending
 */
export function actionFaults(
  calendar: Pick<Calendar, 'currentOrNext'>,
  daily: readonly Pick<DailyClose, 'start' | 'close'>[],
  actions: readonly CorporateAction[],
): readonly string[] {
  return [...groupedBy(distinctActions(actions), ({ at }) => at)].flatMap(([at, rows]) => {
    const { date } = calendar.currentOrNext(at);
    const [splits, paid] = [
      rows.filter(({ kind }) => kind === 'split'),
      rows.filter(({ kind }) => kind === 'dividend'),
    ];
    const before = daily[firstIndex(daily, ({ start }) => start >= at) - 1];
    const ratio = splits.filter(isPossibleSplit).reduce((product, { value }) => product * value, 1);
    const dividend = paid.reduce((sum, { value }) => sum + value, 0);
    const isDear = paid.length > 0 && before !== undefined && !isPossibleDividend(dividend, before.close / ratio);
    return [
      ...(splits.length > 1 ? [`${date} has two splits: send one row with their product`] : []),
      ...(splits.every(isPossibleSplit)
        ? []
        : [`${date} has a split of ratio 1, or beyond ${LARGEST_SPLIT}: send the new shares per old one`]),
      ...(isDear
        ? [
            `${date} has a dividend of ${dividend}, with a close of ${before.close} before it: send the amount per share in the unit of the prices (pounds for GBP, pence for GBX)`,
          ]
        : []),
    ];
  });
}

/** Whether an action is a split, of a ratio that there can be. */
function isPossibleSplit({ kind, value }: CorporateAction): boolean {
  return kind === 'split' && value !== 1 && value <= LARGEST_SPLIT && value >= 1 / LARGEST_SPLIT;
}

/** Whether dividends of a date, together, are less than the largest share of the close before it. */
function isPossibleDividend(value: number, close: number): boolean {
  return value > 0 && value < LARGEST_DIVIDEND * close;
}

/**
 * The dividends of a date together reduce every earlier price by their share of the last close before it. On the date of a
 * split they are per new share. What cannot be is not believed.
 */
function paidOut(daily: readonly DailyClose[], actions: readonly CorporateAction[]): (at: Millis) => number {
  const dividends = actions.filter(({ kind }) => kind === 'dividend');
  const shares = [...groupedBy(dividends, ({ at }) => at)].flatMap(([at, paid]) => {
    const before = daily[firstIndex(daily, ({ start }) => start >= at) - 1];
    if (!before) return [];
    const splits = actions.filter((action) => action.at === at && isPossibleSplit(action));
    const close = before.close / splits.reduce((ratio, { value }) => ratio * value, 1);
    const value = paid.reduce((sum, each) => sum + each.value, 0);
    return isPossibleDividend(value, close) ? [{ at, remaining: 1 - value / close }] : [];
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
