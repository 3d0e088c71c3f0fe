/** The vocabulary and the body of a submission, field for field as the contract names them (settled.md section 4). */
export const DIRECTIONS = ['bullish', 'bearish', 'neutral'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const HORIZON_KINDS = ['holding_seconds', 'trading_days'] as const;
export type HorizonKind = (typeof HORIZON_KINDS)[number];

export const ANALYSIS_CLASSES = ['opinion', 'trade_plan'] as const;
export type AnalysisClass = (typeof ANALYSIS_CLASSES)[number];

export const PERSPECTIVE_TYPES = [
  'technical',
  'fundamental',
  'sentiment',
  'quantitative',
  'macro',
  'alternative',
  'composite',
] as const;
export type PerspectiveType = (typeof PERSPECTIVE_TYPES)[number];

export const RELATIONS = [
  'extends',
  'supports',
  'contradicts',
  'refines',
  'derived_from',
  'supersedes',
  'references',
] as const;
export type Relation = (typeof RELATIONS)[number];

export interface KeyFactor {
  readonly factor: string;
  readonly id?: string;
  readonly depends_on?: readonly string[];
  readonly dimension?: string;
  readonly direction?: Direction;
  readonly weight?: number;
  readonly metric?: { readonly name: string; readonly value: number | string; readonly unit?: string };
  readonly source?: { readonly name: string; readonly url?: string; readonly published_at?: string };
}

export interface PriceTargets {
  readonly entry?: number;
  readonly targets?: readonly { readonly price: number; readonly size_pct?: number }[];
  readonly stop_loss?: { readonly price: number; readonly kind: 'hard' | 'trailing' };
}

export interface Invalidation {
  readonly kind: 'drops_below' | 'rises_above';
  readonly threshold: number;
}

export interface RelatedRecord {
  readonly record_id: string;
  readonly relation: Relation;
}

/** A submission whose fields have the right types; whether its values make sense is for `admitSubmission` to say. */
export interface Submission {
  readonly market: string;
  readonly symbol: string;
  readonly venue: string;
  readonly asset_class: string;
  readonly quote_currency: string;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  /** RFC 3339: the time of the data the agent analysed. */
  readonly data_cutoff: string;
  readonly key_factors?: readonly (string | KeyFactor)[];
  readonly analysis_class?: AnalysisClass;
  readonly perspective_type?: PerspectiveType;
  readonly workflow_ref?: string;
  readonly reference_price?: number;
  readonly price_targets?: PriceTargets;
  readonly invalidation?: readonly Invalidation[];
  readonly execution_info?: {
    readonly executed: boolean;
    readonly fill_price?: number;
    readonly fill_time?: string;
    readonly quantity?: number;
    readonly fees?: number;
    readonly note?: string;
  };
  readonly service_interaction?: {
    readonly consulted: boolean;
    readonly wisdom_queries?: number;
    readonly record_ids?: readonly string[];
    readonly note?: string;
  };
  readonly related_records?: readonly RelatedRecord[];
  readonly confidence?: number;
  readonly model?: { readonly id?: string; readonly knowledge_cutoff?: string };
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The factors with shorthands written out. */
export function keyFactors(submission: Submission): KeyFactor[] {
  return (submission.key_factors ?? []).map((factor) => (typeof factor === 'string' ? { factor } : factor));
}

/** `trade_plan` is what a submission with price targets is, unless it says otherwise (settled.md section 4). */
export function analysisClass(submission: Submission): AnalysisClass {
  return submission.analysis_class ?? (submission.price_targets ? 'trade_plan' : 'opinion');
}
