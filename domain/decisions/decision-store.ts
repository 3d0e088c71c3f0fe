import type { Deferred, Unavailable } from '../grading/evaluation.ts';
import type { SealedEvidence } from '../grading/evidence.ts';
import type { Outcome } from '../grading/outcome.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Decision, StandingDecision } from './decision.ts';

/** A record whose evaluation this process holds the lease of. */
export interface ClaimedDecision {
  readonly decision: UnevaluatedDecision;
  /** Proves the lease. */
  readonly token: string;
}

/** What names a lease: the record and the token it was taken with. */
export type Lease = Pick<EvaluationEnd, 'record_id' | 'token'>;

/** A record without what only a reader needs. */
export type UnevaluatedDecision = Omit<
  Decision,
  'facts' | 'owner_facts' | 'bars' | 'related' | 'workflow_public' | 'statement' | 'salt' | 'commitment'
>;

/** It is not the time yet: another look at `until` counts as no attempt. */
export interface Postponed {
  readonly kind: 'postponed';
  readonly until: Date;
  readonly reason: 'not_settled' | 'source_unavailable' | 'fault';
  readonly detail: string;
  /** Where the calendar or the source has moved them. */
  readonly end_time?: Date;
  readonly settles_at?: Date;
}

/** An outcome and all that it was computed from. */
export interface Graded {
  readonly kind: 'evaluated';
  readonly outcome: Outcome;
  readonly evidence: SealedEvidence;
  /** Where the calendar has moved it. */
  readonly end_time?: Date;
}

/** How an evaluation of a claimed record ended. */
export interface EvaluationEnd {
  readonly record_id: string;
  readonly token: string;
  readonly result: Graded | Deferred | Unavailable | Postponed;
  /** When to try a `deferred` one again; null ends it as `data_unavailable`. */
  readonly retry_at: Date | null;
}

/** How far evaluation is behind. */
export interface Backlog {
  readonly due: number;
  /** When the first of them fell due; null when none waits. */
  readonly since: Date | null;
}

/** How many failed records got another try, by the state they were in. */
export interface Revived {
  readonly rejected: number;
  readonly data_unavailable: number;
}

export interface DecisionStore {
  /** The records that exist among the asked, in no order. `bars` are read only where `viewer` owns the record. */
  find(record_ids: readonly string[], viewer: string | null): Promise<readonly Decision[]>;

  /** The same records without what only a whole record shows, which is most of what there is to read. */
  findStanding(record_ids: readonly string[], viewer: string | null): Promise<readonly StandingDecision[]>;

  /** Up to `limit` instruments that records in `pending_verify` wait for and that may be asked for at `now`. */
  awaitingVerification(now: Date, limit: number): Promise<readonly Instrument[]>;

  /** Moves every `pending_verify` record of the instrument on; `reason` tells its owner why not. Returns how many. */
  settleVerification(instrument: Instrument, verdict: 'verified' | 'rejected', reason?: string): Promise<number>;

  /**
   * Gives the failed records of the instrument another try: those in `rejected` are `pending_verify` again, those in
   * `data_unavailable` are `evaluating` under a lease that nobody holds and that is over at `now`, so that the next
   * claim takes them, their attempts counted from 0 again. Returns how many of each.
   */
  revive(instrument: Instrument, now: Date): Promise<Revived>;

  /**
   * Takes up to `limit` records that are due at `now` into `evaluating`, earliest first, each with a new token and a
   * lease until `leaseUntil`. A record is never held under two valid tokens; one whose lease is over is taken again.
   */
  claimDue(now: Date, leaseUntil: Date, limit: number): Promise<readonly ClaimedDecision[]>;

  /**
   * Moves leases that are still the record's own, over or not, to end at `leaseUntil`; returns the record ids of those.
   * The others have been taken by somebody else.
   */
  renewLeases(held: readonly Lease[], leaseUntil: Date): Promise<readonly string[]>;

  /**
   * Ends evaluations; one whose token is no longer the record's own is ignored. Returns the record ids that ended here.
   * An `evaluated` record gets its outcome and the evidence of it in the same transaction, once and for ever.
   */
  endEvaluations(ends: readonly EvaluationEnd[], now: Date): Promise<readonly string[]>;

  /** What the outcome of a record was computed from, byte for byte as it was kept; null where nothing was kept. */
  findEvidence(record_id: string): Promise<SealedEvidence | null>;

  /** Up to `limit` records that have an outcome, whatever became of them since, in the order of their ids after `after`. */
  evaluatedAfter(after: string | null, limit: number): Promise<readonly string[]>;

  /**
   * Ends every lease at `now`, so that its record is due; returns how many. For a process that knows that no other one
   * is left to hold one: whoever does all the same finds its token void once the record has been taken again.
   */
  endLeases(now: Date): Promise<number>;

  /** The earliest time at which a record becomes due; null when none is waiting. */
  nextDue(): Promise<Date | null>;

  /** The records that are due at `now` and that nobody has taken. */
  backlog(now: Date): Promise<Backlog>;

  /** Removes idempotency keys, cooldowns and counters that decide nothing any more at `now`; returns how many. */
  prune(now: Date): Promise<number>;
}
