import type { Decision } from '../decision.ts';
import { canMove, type LifecycleState } from '../lifecycle.ts';

/** `already`: it was under quarantine before, and the first reason stays. */
export type QuarantineVerdict = 'quarantined' | 'already' | 'being_evaluated';

/** The result of a release; `changed` is false for a record that was not under quarantine. */
export interface Release {
  readonly changed: boolean;
  readonly lifecycle_state: LifecycleState;
}

/**
 * Any record can be quarantined unless its evaluation is under way (settled.md section 5). An evaluation whose lease is
 * over does not count: its token becomes void, so that it cannot bring the record back.
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
 * The state of a record after quarantine: one with an outcome is `evaluated` again. Any other begins again with its
 * verification, whatever it waited for, so that changes of the instrument are found.
 */
export function releasedState(hasOutcome: boolean): LifecycleState {
  return hasOutcome ? 'evaluated' : 'pending_verify';
}

export interface Moderation {
  /**
   * Puts the record under quarantine: every read that starts after this is acknowledged hides it, except from its
   * owner. No evaluation of it ends from then on, and none that is under way is lost. Null when there is no such
   * record.
   */
  quarantine(record_id: string, reason: string, now: Date): Promise<QuarantineVerdict | null>;

  /** Takes the record out of quarantine into `releasedState`. Null when there is no such record. */
  release(record_id: string): Promise<Release | null>;
}

/** A record under quarantine, as operators see it: what it is about, without what its owner wrote. */
export interface QuarantinedRecord
  extends Pick<
    Decision,
    | 'record_id'
    | 'owner_id'
    | 'agent_id'
    | 'market'
    | 'symbol'
    | 'venue'
    | 'asset_class'
    | 'quote_currency'
    | 'direction'
    | 'submission_time'
    | 'submission_origin'
  > {
  readonly reason: string | null;
  /** Whether it has an outcome, with which a release makes it public again. */
  readonly graded: boolean;
}

export interface QuarantinedFilter {
  readonly owner_id?: string | undefined;
}

/** The records under quarantine, in the order of their submission. */
export interface QuarantinedRecords {
  /** Up to `limit` that match, the one submitted last first; only those before `before`. */
  list(
    filter: QuarantinedFilter,
    before: QuarantinedPlace | null,
    limit: number,
  ): Promise<readonly QuarantinedRecord[]>;
}

export type QuarantinedPlace = Pick<QuarantinedRecord, 'submission_time' | 'record_id'>;
