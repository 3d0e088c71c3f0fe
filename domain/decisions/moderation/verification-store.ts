import type { Instrument } from '../../market/instrument.ts';
import type { Decision } from '../decision.ts';

/** How many failed records were given another try, by the state they were in. */
export interface Revived {
  readonly rejected: number;
  readonly data_unavailable: number;
}

/** A record that waits for its verification, as far as its window is concerned. */
export type WaitingRecord = Instrument &
  Pick<Decision, 'record_id' | 'submission_origin' | 'method' | 'horizon_kind' | 'horizon_value' | 'anchor_time'>;

/** The records that wait for the verification of their instrument, or failed with it. */
export interface VerificationStore {
  /** Up to `limit` instruments of records in `pending_verify` that may be looked up at `now`. */
  awaitingVerification(now: Date, limit: number): Promise<readonly Instrument[]>;

  /**
   * Moves every `pending_verify` record of the instrument on; the owner reads `reason` of a rejection. Returns how
   * many.
   */
  settleVerification(instrument: Instrument, verdict: 'verified' | 'rejected', reason?: string): Promise<number>;

  /** Up to `limit` instruments of retroactive records in `pending_verify` that may not be looked up at `now` yet. */
  awaitingRetry(now: Date, limit: number): Promise<readonly Instrument[]>;

  /**
   * Up to `limit` retroactive ones of the `pending_verify` records of the instrument, in the order of their ids and
   * behind `after`.
   */
  waitingRetroactive(instrument: Instrument, after: string | null, limit: number): Promise<readonly WaitingRecord[]>;

  /** Moves those of the records on that are in `pending_verify`, to be evaluated. Returns how many. */
  verifyRecords(record_ids: readonly string[]): Promise<number>;

  /**
   * Rejects the `pending_verify` records of the instrument whose wait is over at `now` (`verificationEndsAt`, which the
   * queued refresh of the instrument extends); the owner reads `reason`. Returns how many.
   */
  endWaits(instrument: Instrument, reason: string, now: Date): Promise<number>;

  /**
   * Gives the failed records of the instrument another try: those in `rejected` become `pending_verify` without a reason; those in
   * `data_unavailable` become `evaluating` under a lease without holder that is over at `now`, so that the next claim
   * takes them, with their attempts counted from 0 again. Returns how many of each.
   */
  revive(instrument: Instrument, now: Date): Promise<Revived>;
}
