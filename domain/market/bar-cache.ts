import type { Millis } from '../time.ts';
import type { Bar, BarSize } from './bars.ts';
import type { Instrument } from './instrument.ts';

/** Bars that may be told together: of one source and size, their factors all of one basis (`factorBasis`). */
export interface CachedSeries {
  readonly source: string;
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly basis: Millis;
}

/** A stretch of time with every bar that there is in it: a minute that is missing here had no trades. */
export interface BarStretch {
  readonly from: Millis;
  readonly to: Millis;
  /** Those that begin within [from, to), ascending, never overlapping. */
  readonly bars: readonly Bar[];
}

/** A stretch, or a part of one, and the fetch that brought it. */
export interface StoredStretch extends BarStretch {
  readonly fetch: string;
}

/** Bars that were fetched once, so that nobody has to fetch them again. What it has lost can be fetched anew. */
export interface BarCache {
  /**
   * Everything kept of the series that overlaps [from, to), whatever was kept first before whatever came later. A stretch
   * may come in several parts, and only its bars that overlap the asked time are told.
   */
  find(series: CachedSeries, from: Millis, to: Millis): Promise<readonly StoredStretch[]>;

  /**
   * Adds a stretch, beside those that overlap it: what was kept before stays as it is, and comes first for ever. Whoever
   * keeps the same at the same time does no harm.
   */
  keep(series: CachedSeries, stretch: BarStretch): Promise<void>;

  /** Removes what was kept of all series whose basis is neither 0 nor as late as `basis`; returns how many stretches. */
  prune(basis: Millis): Promise<number>;
}
