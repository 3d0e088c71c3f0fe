import type { ResultBucket } from '../../grading/outcome.ts';
import { later } from '../../time.ts';
import type { Window } from '../call.ts';
import type { DecisionStatus } from '../decision.ts';
import { type LifecycleState, type Progress, progress } from '../lifecycle.ts';
import { nextChange, secondsUntil } from '../next-change.ts';
import { isPublic } from '../visibility.ts';
import { minuteOf } from './public-views.ts';
import { type Faulted, readableStatus } from './record-fault.ts';
import {
  type EvaluationProgress,
  evaluationProgress,
  expectedEvaluation,
  type OwnerOutcome,
  ownerOutcome,
  publicOutcomeOf,
  publicWindow,
  type ShownFacts,
} from './views.ts';

/** The state of a public record (settled.md section 5), as everyone but its owner sees it. */
export interface PublicState extends Faulted {
  readonly view: 'public';
  readonly record_id: string;
  readonly lifecycle_state: LifecycleState;
  readonly state: Progress;
  readonly window: Window;
  readonly expected_evaluation_at: Date;
  readonly next_check_at: Date | null;
  /** null where the fault says so. */
  readonly outcome: ({ readonly result_bucket: ResultBucket } & ShownFacts) | null;
}

/** The state with the retry counters, the last error, the raw bars and the facts that only the owner sees. */
export interface OwnerState extends Omit<PublicState, 'view' | 'outcome' | 'expected_evaluation_at'> {
  readonly view: 'owner';
  /** null without prospect (`expectedEvaluation`). */
  readonly expected_evaluation_at: Date | null;
  /** Until the next possible change of the state; null when only an operator changes it. */
  readonly poll_after_seconds: number | null;
  /** Present once closed, unless the fault says why it is not. */
  readonly outcome?: { readonly result_bucket: ResultBucket } & OwnerOutcome;
  readonly evaluation: EvaluationProgress;
}

/** null unless the record is public-visible. */
export function publicState(stored: DecisionStatus, now: Date): PublicState | null {
  const { result_bucket } = stored;
  if (!isPublic(stored) || !result_bucket) return null;
  const decision = readableStatus(stored, 'public');
  const state = stateOf(decision, now);
  const expected_evaluation_at = minuteOf(state.expected_evaluation_at);
  const window = publicWindow(decision);
  const shown = publicOutcomeOf(decision);
  const outcome = shown && { result_bucket, ...shown };
  return { view: 'public', ...state, window, expected_evaluation_at, outcome };
}

/**
 * The full state; with the outcome once the record is closed.
 * @param gap why no configured source can grade the record; null where one can
 */
export function ownerState(stored: DecisionStatus, now: Date, gap: string | null = null): OwnerState {
  const decision = readableStatus(stored, 'owner');
  const { result_bucket } = decision;
  const outcome = ownerOutcome(decision);
  const state = stateOf(decision, now);
  const next = nextChange(decision, now);
  return {
    view: 'owner',
    ...state,
    expected_evaluation_at: expectedEvaluation(decision, gap),
    poll_after_seconds: next && secondsUntil(next, now),
    ...(state.state === 'closed' && result_bucket && outcome ? { outcome: { result_bucket, ...outcome } } : {}),
    evaluation: evaluationProgress(decision, gap),
  };
}

function stateOf(decision: DecisionStatus & Faulted, now: Date): Omit<PublicState, 'view' | 'outcome'> {
  const { record_id, lifecycle_state, anchor_time, end_time, settles_at, submission_time, due_at } = decision;
  return {
    record_id,
    lifecycle_state,
    state: progress(lifecycle_state, end_time, now),
    window: { anchor_time, end_time },
    expected_evaluation_at: later(settles_at, submission_time),
    next_check_at: due_at,
    ...(decision.fault && { fault: decision.fault }),
  };
}
