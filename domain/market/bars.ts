import type { Millis } from '../time.ts';

/** The bar sizes a source may have, finest first (evaluation.md section 2). */
export const BAR_SIZES = ['1m', '5m', '1h', '1d'] as const;
export type BarSize = (typeof BAR_SIZES)[number];

/**
 * One bar of an instrument as it was traded, clipped to the session, half-open [start, end).
 * Prices are raw. `split` and `total` are the factors that bring a raw price of this bar into the units of the
 * newest bar of the series: raw x split is split-adjusted, raw x total is split- and dividend-adjusted.
 */
export interface Bar {
  readonly start: Millis;
  readonly end: Millis;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** null where the source has no volume at all; 0 where nothing traded. */
  readonly volume: number | null;
  readonly split: number;
  readonly total: number;
}

/** A bar of a file to import: raw, cut to its session, without the factors of a series. */
export interface RawBar extends Omit<Bar, 'split' | 'total'> {
  readonly adj_close: number | null;
}
