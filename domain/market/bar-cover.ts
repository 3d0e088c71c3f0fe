import type { Millis } from '../time.ts';
import type { BarStretch } from './bar-cache.ts';
import type { Bar } from './bars.ts';

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

function overlap(a: Interval, b: Interval): Interval[] {
  const both = { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
  return both.from < both.to ? [both] : [];
}

function remainder(gap: Interval, taken: Interval): Interval[] {
  const before = { from: gap.from, to: Math.min(gap.to, taken.from) };
  const after = { from: Math.max(gap.from, taken.to), to: gap.to };
  return [before, after].filter((part) => part.from < part.to);
}
