import type { Decision } from './decision.ts';
import { canMove, type LifecycleState } from './lifecycle.ts';

/** `already`: it was under quarantine before, and keeps its first reason. */
export type QuarantineVerdict = 'quarantined' | 'already' | 'being_evaluated';

/** What a release came to; `changed` is false for a record that was not under quarantine. */
export interface Release {
  readonly changed: boolean;
  readonly lifecycle_state: LifecycleState;
}

/**
 * Any record but one whose evaluation is under way can be put under quarantine (settled.md section 5). An evaluation
 * whose lease is over is under way no more: its token becomes void, so that it cannot bring the record back.
 */
export function judgeQuarantine(
  { lifecycle_state, due_at }: Pick<Decision, 'lifecycle_state' | 'due_at'>,
  now: Date,
): QuarantineVerdict {
  if (!canMove(lifecycle_state, 'quarantine')) return 'already';
  const leased = lifecycle_state === 'evaluating' && due_at !== null && due_at > now;
  return leased ? 'being_evaluated' : 'quarantined';
}

/**
 * Where a record goes from quarantine: one with an outcome is evaluated, as it was. Any other begins anew at its
 * verification, whatever it waited for, so that whatever has become of the instrument meanwhile is found out.
 */
export function releasedState(hasOutcome: boolean): LifecycleState {
  return hasOutcome ? 'evaluated' : 'pending_verify';
}

export interface Moderation {
  /**
   * Puts the record under quarantine: whoever reads after this is acknowledged finds it gone, but its owner. No
   * evaluation ends for it from then on, and none that is under way is lost to it. Null when there is no such record.
   */
  quarantine(record_id: string, reason: string, now: Date): Promise<QuarantineVerdict | null>;

  /** Takes the record out of quarantine into `releasedState`. Null when there is no such record. */
  release(record_id: string): Promise<Release | null>;
}
