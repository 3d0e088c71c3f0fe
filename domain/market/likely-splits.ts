import { rfc3339 } from '../time.ts';
import type { CorporateAction } from './adjustment.ts';
import type { RawBar } from './bars.ts';

/** A leap of prices between two sessions that looks like a split missing from the corporate actions. */
export interface LikelySplit {
  /** RFC 3339: the first bar in the new units. */
  readonly at: string;
  /** New shares for each old one; below 1 for a reverse split. */
  readonly ratio: number;
  /**
   * Whether the adjusted closes account for it; levels of a plan are compared in split-adjusted prices in either case.
   */
  readonly in_adj_close: boolean;
}

const RATIOS = [1.5, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 40, 50, 100];
/** In logarithms: the greatest distance of a leap from the ratio, since stocks do not open where they closed. */
const NEAR = 0.06;
const SMALLEST = Math.log(Math.min(...RATIOS)) - NEAR;

/** The leaps from a close to the next open that are near a usual ratio and that no known split explains. */
export function likelySplits(bars: readonly RawBar[], actions: readonly CorporateAction[]): readonly LikelySplit[] {
  const splits = actions.filter(({ kind }) => kind === 'split');
  return bars.flatMap((bar, index) => {
    const before = bars[index - 1];
    const ratio = before && before.end < bar.start ? splitRatioNear(before.close / bar.open) : null;
    if (!before || ratio === null) return [];
    const isKnown = splits.some(({ at, value }) => at > before.start && at <= bar.start && isNear(value, ratio));
    if (isKnown) return [];
    return [{ at: rfc3339(bar.start), ratio, in_adj_close: isNear(adjustment(bar) / adjustment(before), ratio) }];
  });
}

/** The usual split ratio that a leap of the price is near, old price over new one; null when it is near none. */
export function splitRatioNear(leap: number): number | null {
  if (Math.abs(Math.log(leap)) < SMALLEST) return null;
  return [...RATIOS, ...RATIOS.map((ratio) => 1 / ratio)].find((ratio) => isNear(leap, ratio)) ?? null;
}

function isNear(value: number, ratio: number): boolean {
  return Math.abs(Math.log(value / ratio)) < NEAR;
}

/** 1 where the source has no adjusted close, so that nothing is accounted for. */
function adjustment({ adj_close, close }: RawBar): number {
  return adj_close === null ? 1 : adj_close / close;
}
