/**
 * The values of a decision that grading, cohorts and circuits share, named field for field as in the contract
 * (settled.md section 4).
 */
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

export const SUBMISSION_ORIGINS = ['realtime', 'retroactive'] as const;
export type SubmissionOrigin = (typeof SUBMISSION_ORIGINS)[number];

/** From the anchor to the end of the horizon (evaluation.md sections 1 and 2). */
export interface Window<Time = Date> {
  readonly anchor_time: Time;
  readonly end_time: Time;
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
