import type { OwnerOutcome, ShownFacts } from '../../../../../domain/decisions/views/views.ts';
import type { ResultBucket } from '../../../../../domain/grading/outcome.ts';

/** The parts of the service's replies that the page reads. Times are RFC 3339. */
export interface WireIdentity {
  readonly record_id: string;
  readonly market: string;
  readonly symbol: string;
  readonly venue: string;
  readonly asset_class: string;
  readonly quote_currency: string;
  readonly direction: WireDirection;
  readonly horizon_kind: string;
  readonly horizon_value: number;
  readonly data_cutoff: string;
  readonly submission_origin: string;
}

export type WireDirection = 'bullish' | 'bearish' | 'neutral';

export interface Factor {
  readonly factor: string;
  readonly dimension?: string;
  readonly direction?: WireDirection;
  readonly metric?: { readonly name: string; readonly value: number | string; readonly unit?: string };
}

interface AnyDetail extends WireIdentity {
  readonly cohort_key: string;
  readonly analysis_class: string;
  readonly perspective_type: string | null;
  readonly submission_time: string;
  readonly window: { readonly anchor_time: string; readonly end_time: string };
  readonly method: string;
  readonly workflow_ref: string | null;
  readonly created_regime: string | null;
  readonly key_factors: readonly Factor[];
  /** null only with a fault. */
  readonly commitment: string | null;
  /** What the service cannot read of the record, in words. */
  readonly fault?: { readonly parts: readonly string[]; readonly message: string };
  /** Its leaves in the evidence log; null while it has none there. */
  readonly log: { readonly index: number; readonly outcome_index: number | null } | null;
}

/** The public form of a record. */
export interface WirePublicDetail extends AnyDetail {
  readonly view: 'public';
  readonly result_bucket: ResultBucket;
  /** null only with a fault. */
  readonly outcome: ShownFacts | null;
}

/** A record as its owner sees it. */
export interface WireOwnerDetail extends AnyDetail {
  readonly view: 'owner';
  readonly lifecycle_state: string;
  /** null without prospect. */
  readonly expected_evaluation_at: string | null;
  readonly result_bucket: ResultBucket | null;
  readonly outcome: OwnerOutcome | null;
  readonly price_targets: WirePriceTargets | null;
  readonly invalidation: readonly { readonly kind: string; readonly threshold: number }[] | null;
  readonly confidence: number | null;
  readonly summary: string | null;
  readonly meta: unknown;
  /** null only with a fault. */
  readonly commitment_opening: { readonly salt: string; readonly statement: string } | null;
  readonly evaluation: { readonly next_check_at: string | null; readonly last_error: string | null };
  readonly archived_at: string | null;
  readonly quarantine_reason: string | null;
}

export interface WirePriceTargets {
  readonly targets?: readonly { readonly price: number; readonly size_pct?: number }[];
  readonly stop_loss?: { readonly price: number; readonly kind: string };
}

export type Detail = WirePublicDetail | WireOwnerDetail;

/** A row in the list of own records. */
export interface OwnRow extends WireIdentity {
  readonly agent_id: string;
  readonly submission_time: string;
  readonly lifecycle_state: string;
  readonly result_bucket: ResultBucket | null;
  readonly path: { readonly raw_return: number; readonly z: number | null } | null;
  readonly window: { readonly anchor_time: string; readonly end_time: string };
  /** null without prospect. */
  readonly expected_evaluation_at: string | null;
  readonly archived_at: string | null;
}

export interface CircuitFacts {
  readonly coin: string;
  readonly state: 'normal' | 'warming' | 'tripped';
  readonly since: string | null;
  readonly peg: { readonly price: number; readonly drift_bps: number; readonly observed_at: string } | null;
}
