import type { Millis } from '../time.ts';
import type { Bar, BarSize } from './bars.ts';
import type { Instrument } from './instrument.ts';

/** What a source says of an instrument when it is asked whether it exists. */
export interface Listing {
  /** The name of the source, e.g. `bar-files`. */
  readonly source: string;
  /** The bar sizes this source has of the instrument, finest first; never empty. */
  readonly sizes: readonly BarSize[];
  /** The start of the oldest daily bar. */
  readonly history_from: Millis;
  /** The end of the last print of an instrument that trades no more, else null. */
  readonly delisted_at: Millis | null;
  /** When the source's final bars are complete: at once after a bar closes, or at the end of the day. */
  readonly cadence: 'continuous' | 'end_of_day';
}

/** Final bars of one size in ascending order, never overlapping. */
export interface BarSeries {
  readonly source: string;
  readonly size: BarSize;
  readonly bars: readonly Bar[];
  /** Rows that the source sent and that break evaluation.md section 6 (high below open, price <= 0 ...), counted as missing. */
  readonly dropped: number;
}

/** Prices of the world: the platform's own, never the agent's word (evaluation.md). Throws `SourceUnavailable` when no source answers. */
export interface MarketData {
  /** The instrument as the first source that knows it sees it; null when no source knows it. */
  describe(instrument: Instrument): Promise<Listing | null>;

  /**
   * Final bars with start >= from and end <= to, whatever paging it takes. A missing minute in the reply is a minute
   * without trades. `now` is the clock by which a bar is final: its end is not after it.
   */
  bars(instrument: Instrument, size: BarSize, from: Millis, to: Millis, now: Millis): Promise<BarSeries>;
}

/** No source could answer now; asking later may help. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The source answers, but no longer has bars as old as those asked for; another source may. */
export class OutOfReach extends SourceUnavailable {}
