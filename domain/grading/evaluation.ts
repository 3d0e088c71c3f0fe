import type { Isolation } from '../circuits/isolation.ts';
import type { Direction, HorizonKind, Invalidation, PriceTargets, Window } from '../decisions/call.ts';
import type { BarSize } from '../market/bars.ts';
import type { Instrument } from '../market/instrument.ts';
import type { BarSeries, Listing } from '../market/market-data.ts';
import type { Millis } from '../time.ts';
import type { Outcome } from './outcome.ts';

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
}

/** The bars to fetch for an evaluation: final bars within [from, to). */
export interface BarsNeeded {
  readonly kind: 'bars';
  readonly path: { readonly size: BarSize; readonly from: Millis; readonly to: Millis };
  readonly daily: { readonly size: '1d'; readonly from: Millis; readonly to: Millis };
}

/** The fetched bars. */
export interface Evidence {
  readonly path: BarSeries;
  readonly daily: BarSeries;
  readonly listing: Pick<Listing, 'delisted_at'>;
  /** The isolations of the quote coin that overlap the window. */
  readonly isolations?: readonly Isolation[];
}

/** Another try after `retryDelay` may succeed: the bars may still arrive. */
export interface Deferred {
  readonly kind: 'deferred';
  readonly reason: 'window_open' | 'source_behind' | 'no_entry' | 'no_path' | 'coverage' | 'halted' | 'out_of_reach';
  readonly detail: string;
}

/** No later try can succeed, unless the instrument's data change. */
export interface Unavailable {
  readonly kind: 'data_unavailable';
  readonly reason: 'below_resolution' | 'insufficient_history' | 'no_print' | 'not_covered';
  readonly detail: string;
}

export type Evaluation = { readonly kind: 'evaluated'; readonly outcome: Outcome } | Deferred | Unavailable;
