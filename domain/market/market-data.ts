import type { Millis } from '../time.ts';
import type { Bar, BarSize } from './bars.ts';
import type { Instrument } from './instrument.ts';
import type { SourceCoverage } from './price-coverage.ts';

/** What a source knows of an existing instrument. */
export interface Listing {
  /** The name of the source, e.g. `bar-files`. */
  readonly source: string;
  /** The bar sizes this source has of the instrument, finest first; never empty. */
  readonly sizes: readonly BarSize[];
  /** The start of the oldest daily bar. */
  readonly history_from: Millis;
  /** The end of the last print of an instrument that no longer trades, else null. */
  readonly delisted_at: Millis | null;
  /** When the source's final bars are complete: at once after a bar closes, or at the end of the day. */
  readonly cadence: 'continuous' | 'end_of_day';
}

/** Final bars of one size in ascending order, never overlapping. */
export interface BarSeries {
  readonly source: string;
  readonly size: BarSize;
  readonly bars: readonly Bar[];
  /**
   * Rows of the source that violate evaluation.md section 6 (high below open, price <= 0 ...); they count as missing.
   */
  readonly dropped: number;
}

/**
 * Market prices: the platform's own, never the agent's word (evaluation.md). Throws `SourceUnavailable` when no source
 * answers.
 */
export interface MarketData {
  /** The instrument by the first source that knows it; null when none does. */
  describe(instrument: Instrument): Promise<Listing | null>;

  /**
   * Final bars with start >= from and end <= to, over as many pages as necessary. A minute missing from the reply is a
   * minute without trades. A bar is final at `now` when its end is not after it.
   */
  bars(instrument: Instrument, size: BarSize, from: Millis, to: Millis, now: Millis): Promise<BarSeries>;

  /**
   * What each source that is responsible for the instrument covers when it is asked at `at`, in order of preference,
   * without a request over the network. Empty if no source is responsible. A source on the network counts although it
   * may not know the instrument. Never throws `SourceUnavailable`.
   */
  coverage(instrument: Instrument, at: Millis): Promise<readonly SourceCoverage[]>;
}

/** No source could answer now; a later request may succeed. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The source answers, but no longer has bars of the requested age; another source may. */
export class OutOfReach extends SourceUnavailable {}
