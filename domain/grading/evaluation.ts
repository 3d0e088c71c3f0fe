import type { Isolation } from '../circuits/circuit.ts';
import type { Direction, HorizonKind, Invalidation, PriceTargets, Window } from '../decisions/call.ts';
import type { BarSize } from '../market/bars.ts';
import type { Instrument } from '../market/instrument.ts';
import type { BarSeries, KnownActions, Listing } from '../market/market-data.ts';
import type { Millis } from '../time.ts';
import type { FactsOf, MethodName } from './method-facts.ts';
import type { Outcome, OutcomeFacts } from './outcome.ts';
import type { PathFacts } from './paths/path-facts.ts';

/** The fields of a decision that its evaluation depends on. */
export interface EvaluationCall extends Window<Millis> {
  readonly instrument: Instrument;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly data_cutoff: Millis;
  readonly reference_price?: number | undefined;
  readonly price_targets?: PriceTargets | undefined;
  readonly invalidation?: readonly Invalidation[] | undefined;
  readonly knowledge_cutoff?: Millis | undefined;
  /** Whether the outcome is to have the bars of its path; it has unless given. */
  readonly keepsBars?: boolean | undefined;
}

/** The span that an evaluation needs prices of. */
export type PricedSpan = Pick<EvaluationCall, 'instrument' | 'anchor_time' | 'end_time'>;

/** The bars to fetch for an evaluation: final bars within [from, to). */
export interface BarsNeeded {
  readonly kind: 'bars';
  readonly path: { readonly size: BarSize; readonly from: Millis; readonly to: Millis };
  readonly daily: { readonly size: '1d'; readonly from: Millis; readonly to: Millis };
}

/** What an evaluation knows of the listing of its instrument. */
export interface EvidenceListing extends Pick<Listing, 'delisted_at'> {
  /** Whether the instrument has left the list of its exchange: this decides how missing bars end, and no outcome. */
  readonly leftList?: boolean;
}

/** The fetched bars. */
export interface Evidence {
  readonly path: BarSeries;
  readonly daily: BarSeries;
  readonly listing: EvidenceListing;
  /** The isolations of the quote coin that overlap the window. */
  readonly isolations?: readonly Isolation[];
  /** What is known of corporate actions besides the factors of the bars; nothing unless given. */
  readonly known?: KnownActions;
  /** Bars before the path, as far as they were asked for: in its size, then in hours. */
  readonly earlier?: readonly BarSeries[];
  /** Bars of its size after the path, if they were asked for. */
  readonly later?: BarSeries;
  /** The reference of the venue, and daily bars of it from before the entry to the exit. */
  readonly market?: MarketEvidence;
}

export interface MarketEvidence {
  /** The key of the instrument. */
  readonly instrument: string;
  readonly daily: BarSeries;
}

/** Further bars that an evaluation needs: of what it has, it can see that they decide. */
export interface FurtherBars {
  readonly place: 'earlier' | 'later';
  readonly size: BarSize;
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * Why an evaluation is tried again. `no_entry` and `no_path` are of eval/1, `suspected_split` is of eval/2 and eval/3, the
 * last two are of eval/3.
 */
export const DEFERRALS = [
  'window_open',
  'source_behind',
  'no_entry',
  'no_path',
  'coverage',
  'halted',
  'out_of_reach',
  'suspected_split',
  'suspected_price',
  'action_contradicts_prices',
] as const;

/**
 * Why a decision never gets an outcome, besides a deferral whose tries are used up. `no_print` is of eval/1; `no_trade`,
 * `coarse_prices` and `delisted` are of eval/2 and eval/3, the last two of eval/3.
 */
export const UNAVAILABILITIES = [
  'below_resolution',
  'insufficient_history',
  'no_print',
  'not_covered',
  'no_trade',
  'coarse_prices',
  'delisted',
  'action_contradicts_prices',
  'not_computable',
] as const;

/** Another try after `retryDelay` may succeed: the bars may still arrive. */
export interface Deferred {
  readonly kind: 'deferred';
  readonly reason: (typeof DEFERRALS)[number];
  readonly detail: string;
  /** Bars that decide, and that the evidence lacks: with them the evaluation is tried again at once. */
  readonly needs?: FurtherBars;
}

/** No later try can succeed, unless the instrument's data change. */
export interface Unavailable {
  readonly kind: 'data_unavailable';
  readonly reason: (typeof UNAVAILABILITIES)[number];
  readonly detail: string;
}

export type Evaluation<Facts extends PathFacts = OutcomeFacts> =
  | { readonly kind: 'evaluated'; readonly outcome: Outcome<Facts> }
  | Deferred
  | Unavailable;

/** A versioned way from a decision to an outcome. Its results never change for the same bars. */
export interface EvaluationMethod<Name extends MethodName = MethodName> {
  readonly name: Name;

  /** Whether bars of a size are short enough for the span. */
  resolves(span: PricedSpan, size: BarSize): boolean;

  /** Whether bars of a size that begin at `from` begin too late for an entry, however many there are. */
  beginsLate(span: PricedSpan, size: BarSize, from: Millis): boolean;

  /** Whether bars of a size that end at `to` lack bars that a complete series has at the end of the span. */
  endsEarly(span: PricedSpan, size: BarSize, to: Millis): boolean;

  /** The bars that the evaluation needs from a source with these sizes, or why no bars suffice. */
  barsNeeded(call: EvaluationCall, sizes: readonly BarSize[]): BarsNeeded | Unavailable;

  /**
   * The outcome of a decision from the bars that `barsNeeded` names, or why there is none. Pure: the same bars give the
   * same outcome. `now` decides which bars are final and whether a source is late.
   */
  evaluate(call: EvaluationCall, evidence: Evidence, now: Millis): Evaluation<FactsOf[Name]>;

  /**
   * What a deferral without a further try ends as.
   * @param leftList whether the instrument has left the list of its exchange since it was verified
   */
  givenUp(result: Deferred, leftList: boolean): Deferred | Unavailable;
}

export function deferred(reason: Deferred['reason'], detail: string): Deferred {
  return { kind: 'deferred', reason, detail };
}

export function unavailable(reason: Unavailable['reason'], detail: string): Unavailable {
  return { kind: 'data_unavailable', reason, detail };
}
