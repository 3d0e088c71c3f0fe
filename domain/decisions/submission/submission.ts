import { type Millis, nextUtcDay } from '../../time.ts';
import type { AnalysisClass, Direction, HorizonKind, Invalidation, PerspectiveType, PriceTargets } from '../call.ts';

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

/** What a decision was made from. */
export const INPUT_KINDS = ['prompt', 'data', 'tool', 'model', 'code'] as const;

/** The digest of something that the agent used, so that it can show later what that was. */
export interface DecisionInput {
  readonly kind: (typeof INPUT_KINDS)[number];
  readonly name: string;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

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

export interface RelatedRecord {
  readonly record_id: string;
  readonly relation: Relation;
}

/**
 * The body of a submission, field for field as the contract names it (settled.md sections 4 and 14). Its fields have the
 * right types; `admitSubmission` judges their values.
 */
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
  readonly model?: {
    readonly id?: string;
    /** RFC 3339 or `YYYY-MM-DD`; see `knowledgeEnd`. */
    readonly knowledge_cutoff?: string;
  };
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly inputs?: readonly DecisionInput[];
  /** The text of this JSON object as it was sent, without the white space between its tokens. */
  readonly meta?: string;
}

/** The factors, with shorthands expanded. */
export function keyFactors(submission: Pick<Submission, 'key_factors'>): KeyFactor[] {
  return (submission.key_factors ?? []).map((factor) => (typeof factor === 'string' ? { factor } : factor));
}

/** How many sources of the factors are dated after the data of the decision; null where none has a date. */
export function sourcesAfterCutoff(submission: Pick<Submission, 'key_factors' | 'data_cutoff'>): number | null {
  const dates = keyFactors(submission).flatMap(({ source }) => source?.published_at ?? []);
  const cutoff = Date.parse(submission.data_cutoff);
  return dates.length === 0 ? null : dates.filter((date) => Date.parse(date) > cutoff).length;
}

/** A submission with price targets is a `trade_plan` unless it says otherwise (settled.md section 4). */
export function analysisClass(submission: Submission): AnalysisClass {
  return submission.analysis_class ?? (submission.price_targets ? 'trade_plan' : 'opinion');
}

/**
 * When the knowledge of the model ends; undefined if it is not stated. A date includes its whole UTC day, so that data of
 * that day count as known to the model: no overlap of knowledge and data is hidden.
 */
export function knowledgeEnd({ model }: Pick<Submission, 'model'>): Millis | undefined {
  const sent = model?.knowledge_cutoff;
  if (sent === undefined) return undefined;
  return /^\d{4}-\d{2}-\d{2}$/.test(sent) ? nextUtcDay(Date.parse(sent)) : Date.parse(sent);
}

/** Whether the data of a call end before the stated knowledge of its model does, after it, or no cutoff is stated. */
export const KNOWLEDGE = ['before', 'after', 'without'] as const;
export type Knowledge = (typeof KNOWLEDGE)[number];

/** @param call its data end at `data_cutoff` */
export function knowledgeOf(call: Pick<Submission, 'model' | 'data_cutoff'>): Knowledge {
  const end = knowledgeEnd(call);
  if (end === undefined) return 'without';
  return Date.parse(call.data_cutoff) < end ? 'before' : 'after';
}
