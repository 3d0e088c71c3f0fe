import type { Millis } from '../time.ts';
import type { CorporateAction } from './adjustment.ts';
import type { Bar, BarSize } from './bars.ts';
import type { Instrument } from './instrument.ts';

/** The source of the bars and actions that an operator wrote into files. */
export const BAR_FILES = 'bar-files';

/** How a source names what it has bars of: by its name today, or by the name that it had on the date of the bars. */
export type NamesOf = 'today' | 'of_date';

/** How a source names a security. Bar files belong to a key, whose rows had its names. */
export function namesOfSource(source: string): NamesOf {
  return NAMED_BY_TODAY.includes(source) ? 'today' : 'of_date';
}

const NAMED_BY_TODAY: readonly string[] = ['alpaca', 'yahoo', 'eodhd'];

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
  /** How the source named the security; absent where bars belong to its key, and in evidence from before it was noted. */
  readonly names?: NamesOf | undefined;
  readonly size: BarSize;
  readonly bars: readonly Bar[];
  /**
   * Rows of the source that violate evaluation.md section 6 (high below open, price <= 0 ...); they count as missing.
   */
  readonly dropped: number;
}

/** The dates, both ends included, of which a source states every corporate action that there was. */
export interface ListedDates {
  readonly source: string;
  readonly from: string;
  readonly until: string;
}

/** What is known of an instrument's corporate actions besides the factors of its bars (evaluation-3.md section 1). */
export interface KnownActions {
  readonly actions: readonly (CorporateAction & { readonly source: string })[];
  readonly lists: readonly ListedDates[];
  /** The dates of which an operator states that they have no action. */
  readonly none: readonly string[];
  /** The date since which the instrument has been listed, where somebody states it. */
  readonly listed_on: string | null;
}

export const NO_ACTIONS_KNOWN: KnownActions = { actions: [], lists: [], none: [], listed_on: null };

/**
 * Market prices: the platform's own, never the agent's word (evaluation.md). Throws `SourceUnavailable` when no source
 * answers.
 */
export interface MarketData {
  /** How the source names securities; absent where bars belong to their keys. */
  readonly names?: NamesOf;

  /** The instrument by the first source that knows it; null when none does. */
  describe(instrument: Instrument): Promise<Listing | null>;

  /**
   * Final bars with start >= from and end <= to, over as many pages as necessary. A minute missing from the reply is a
   * minute without trades. A bar is final at `now` when its end is not after it.
   */
  bars(instrument: Instrument, size: BarSize, from: Millis, to: Millis, now: Millis): Promise<BarSeries>;

  /**
   * What is known at `now` of the corporate actions of an instrument besides the factors of its bars. A source without
   * this method lists none.
   */
  actions?(instrument: Instrument, now: Millis): Promise<KnownActions>;

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
