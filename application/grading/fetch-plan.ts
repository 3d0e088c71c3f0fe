import type { BarSize } from '../../domain/market/bars.ts';
import type { Millis } from '../../domain/time.ts';

/** A stretch of bars of one size. */
export interface BarSpan {
  readonly size: BarSize;
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * The fewest fetches that cover all spans of one instrument without fetching much more: spans of a size that overlap or
 * touch are merged.
 */
export function fetchPlan(spans: readonly BarSpan[]): BarSpan[] {
  const ordered = spans.toSorted((a, b) => (a.size < b.size ? -1 : a.size > b.size ? 1 : a.from - b.from));
  const merged: BarSpan[] = [];
  for (const span of ordered) {
    const last = merged.at(-1);
    if (last && last.size === span.size && span.from <= last.to) {
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, span.to) };
    } else {
      merged.push(span);
    }
  }
  return merged;
}
