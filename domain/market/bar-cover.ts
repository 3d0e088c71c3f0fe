import type { Millis } from '../time.ts';
import type { BarStretch } from './bar-cache.ts';
import type { Bar } from './bars.ts';

interface Interval {
  readonly from: Millis;
  readonly to: Millis;
}

export interface Cover {
  /** The bars of the asked time as far as it is covered, ascending. */
  readonly bars: readonly Bar[];
  /** The least stretch that holds everything which is not covered; null when nothing is left. */
  readonly missing: Interval | null;
}

/** What stretches tell of [from, to). Where two overlap the first one speaks, so that the answer never changes. */
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
