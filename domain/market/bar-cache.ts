import type { Millis } from '../time.ts';
import type { Bar, BarSize } from './bars.ts';
import type { Instrument } from './instrument.ts';

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
   */
  keep(series: CachedSeries, stretch: BarStretch): Promise<void>;

  /** Removes the stretches of all series whose basis is neither 0 nor as late as `basis`; returns how many. */
  prune(basis: Millis): Promise<number>;
}
