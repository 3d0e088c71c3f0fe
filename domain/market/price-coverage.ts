import type { Millis } from '../time.ts';
import type { BarSize } from './bars.ts';

/** Bars of one size that start at or after `from` and end at or before `to`. */
export interface CoveredSpan {
  /** -Infinity where the source has bars since the listing. */
  readonly from: Millis;
  /** Infinity where further bars will come. */
  readonly to: Millis;
}

/** What one source covers of an instrument, as far as it is known without a request to the source. */
export interface SourceCoverage {
  readonly source: string;
  /** The sizes that it has. */
  readonly spans: Readonly<Partial<Record<BarSize, CoveredSpan>>>;
  /**
   * For a source that keeps only its newest bars: how far back a request may begin. It refuses earlier ones as a whole.
   * Missing where the source keeps its bars.
   */
  readonly depth?: Readonly<Record<BarSize, Millis>>;
  /** The end of the last print of an instrument that no longer trades; null where it trades, or nothing is known. */
  readonly delisted_at: Millis | null;
}

/** The coverage of a source that has bars of every size since `fromOf` and goes on. */
export function openCoverage(source: string, fromOf: (size: BarSize) => Millis): SourceCoverage {
  const span = (size: BarSize): CoveredSpan => ({ from: fromOf(size), to: Number.POSITIVE_INFINITY });
  return {
    source,
    spans: { '1m': span('1m'), '5m': span('5m'), '1h': span('1h'), '1d': span('1d') },
    delisted_at: null,
  };
}

/** Whether the source may have bars later that it does not have now. */
export function isOpenEnded({ spans }: SourceCoverage): boolean {
  return Object.values(spans).some(({ to }) => to === Number.POSITIVE_INFINITY);
}
