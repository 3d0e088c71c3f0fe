import type { Coin } from '../../circuits/coin.ts';
import type { WindowPlan } from '../../grading/windows/window.ts';
import { IDEMPOTENCY, SUBMIT_COUNTS, type SubmitLimits } from '../../limits.ts';
import type { Instrument } from '../../market/instrument.ts';
import type { Millis } from '../../time.ts';
import type { AnalysisClass, Direction, HorizonKind, PerspectiveType } from '../call.ts';
import type { GroupPlace } from '../decision.ts';
import type { Idempotency, NotedWarning, RecordedSubmission, TakenReceipts, WarningCode } from './receipt.ts';
import type { RelatedRecord } from './submission.ts';

/** A submission with valid values, ready to be written at whatever receive time the database sets. */
export interface DecisionDraft {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly key_prefix: string;
  readonly instrument: Instrument;
  readonly submitted_symbol: string;
  /** Of the security on the date of the anchor, where that is not its key. */
  readonly name: string | null;
  /** The newest statement about names that the draft was planned by; after another one the verdict is `replan`. */
  readonly names: number;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly analysis_class: AnalysisClass;
  readonly perspective_type: PerspectiveType | null;
  readonly confidence: number | null;
  readonly data_cutoff: Date;
  /** The draft holds for receive times in [planned_at, plan.until); at any other the verdict is `replan`. */
  readonly planned_at: Date;
  readonly plan: WindowPlan;
  /**
   * When its prices should be settled, in milliseconds after `planned_at`, or after the receive time if the window's end
   * is relative to that.
   */
  readonly settles_after: Millis;
  /** Volatility needs history from here on; an instrument listed later gets a warning. */
  readonly history_needed_from: Date;
  readonly coin: Coin | null;
  /** `CIRCUIT_TRIPPED_SUBMITS=refuse`. */
  readonly refuse_tripped: boolean;
  readonly cohort_key: string;
  readonly isolated_cohort_key: string;
  readonly workflow_hash: string | null;
  readonly related: readonly RelatedRecord[];
  readonly warnings: readonly NotedWarning[];
  readonly idempotency: Idempotency | null;
  readonly limits: SubmitLimits;
  /** Whom an hour of the agent counts against that begins with this submission: 32 bytes, or null. */
  readonly network: Uint8Array | null;
  /** The evaluation method that the record will be graded by. */
  readonly method: string;
  /** The body as sent, in RFC 8785 form; the commitment seals it and the record stores it. */
  readonly body: string;
  /** 32 random bytes. */
  readonly salt: Uint8Array;
  /** Where it is one of a decision group. */
  readonly group?: GroupPlace;
}

/** The result of a draft; only `accepted` writes anything. */
export type Verdict = Taken | Refused | { readonly verdict: 'replan'; readonly received_at: Date };

export interface Taken extends TakenReceipts {
  readonly verdict: 'accepted' | 'replayed';
}

export type Refused =
  | { readonly verdict: 'key_revoked' | 'key_expired' | 'key_read_only' | 'key_reused' | 'circuit_open' }
  | { readonly verdict: 'related_refused'; readonly refused: readonly RefusedRelation[] }
  | LimitRefusal;

/** A limit of submissions that refuses, and the whole seconds, at least 1, until it no longer does. */
export type LimitRefusal =
  | {
      readonly verdict: 'frequency' | 'retroactive_quota' | 'network_hours';
      readonly retry_after_seconds: number;
      /** How many more decisions `frequency` or `retroactive_quota` would admit; for a decision group alone. */
      readonly left?: number;
    }
  /** The agent's accepted bodies of the hour have `used_bytes`. */
  | { readonly verdict: 'hour_bytes'; readonly retry_after_seconds: number; readonly used_bytes: number }
  | { readonly verdict: 'cooldown'; readonly retry_after_seconds: number; readonly record_id: string };

export interface RefusedRelation {
  /** Position in `related_records`. */
  readonly index: number;
  readonly reason: 'unseen' | 'later' | 'other_agent';
}

/** What a submission would get now; frequency, cooldown and retroactive quota are reported and not enforced. */
export interface Preview {
  readonly received_at: Date;
  readonly verified: boolean;
  readonly history_from: Date | null;
  readonly circuit_state: 'normal' | 'warming' | 'tripped';
  readonly workflow_found: boolean;
  readonly refused: readonly RefusedRelation[];
  /**
   * Every limit that refuses a submission at `received_at`, in the order of judgement: a submission at the same time gets
   * the first one, and is accepted if there is none. An idempotency key that is in force replays all the same.
   */
  readonly would_wait: readonly LimitRefusal[];
}

/** The only way to add decisions (settled.md section 4). */
export interface DecisionIntake {
  /**
   * Judges and writes in one transaction, in the order of settled.md section 4 from the idempotency replay on.
   * - The receive time is the store's clock inside that transaction.
   * - A draft with an idempotency key waits for a twin in flight and then replays it; a wait of more than 5 s is
   *   SERVICE_UNAVAILABLE.
   * - However many callers race: one record per idempotency key, one record per cooldown, never more records than
   *   `limits` allow.
   * @param others the further horizons of a decision group whose first horizon is `draft`: drafts of the same submission,
   * planned at the same time. All are written or none, under one key and one cooldown, which names the first; a limit
   * counts each, and their numbers follow each other.
   */
  submit(draft: DecisionDraft, others?: readonly DecisionDraft[]): Promise<Verdict>;

  /** Reads what a submit would get, and changes nothing; it neither reads nor writes idempotency keys. */
  preview(draft: DecisionDraft, others?: readonly DecisionDraft[]): Promise<Preview>;

  /** What is stored under an agent's idempotency key; null after 48 h. */
  recorded(agent_id: string, key: string): Promise<RecordedSubmission | null>;

  /** Removes idempotency keys, cooldowns and counters that have no effect any more at `now`; returns how many. */
  prune(now: Date): Promise<number>;
}

/** For each kind of row that limits submissions, the newest time that has no effect any more. */
interface ExpiredCounts {
  /** The first use of an idempotency key: after older ones the key counts as new (settled.md section 4). */
  readonly idempotency: Date;
  /** The last accepted submission. */
  readonly cooldowns: Date;
  /** The start of the hour. */
  readonly submitHours: Date;
  /** The start of the day. */
  readonly retroactiveDays: Date;
}

/** What can be deleted at `now`. */
export function expiredCounts(now: Date): ExpiredCounts {
  const before = (age: Millis) => new Date(now.getTime() - age);
  return {
    idempotency: before(IDEMPOTENCY.keep),
    cooldowns: before(SUBMIT_COUNTS.keepCooldowns),
    submitHours: before(SUBMIT_COUNTS.keepHours),
    retroactiveDays: before(SUBMIT_COUNTS.keepDays),
  };
}

/** The stored facts that a submission depends on when it is written, besides its own values. */
export type SubmissionContext = Pick<Preview, 'verified' | 'history_from' | 'circuit_state' | 'workflow_found'>;

/**
 * The warnings of these facts, in the order in which a receipt lists them after those of the draft (settled.md section
 * 4).
 */
export function contextWarnings(
  draft: Pick<DecisionDraft, 'workflow_hash' | 'history_needed_from'>,
  context: SubmissionContext,
): WarningCode[] {
  return [
    ...(draft.workflow_hash !== null && !context.workflow_found ? (['WORKFLOW_REF_UNRESOLVED'] as const) : []),
    ...(context.circuit_state === 'tripped' ? (['PEG_TRIPPED'] as const) : []),
    ...(context.circuit_state === 'warming' ? (['PEG_WARMING'] as const) : []),
    ...(context.verified ? [] : (['INSTRUMENT_UNVERIFIED'] as const)),
    ...(context.history_from !== null && context.history_from > draft.history_needed_from
      ? (['INSUFFICIENT_HISTORY'] as const)
      : []),
  ];
}
