import type { Instrument } from '../market/instrument.ts';

/** How many failed records got another try, by the state they were in. */
export interface Revived {
  readonly rejected: number;
  readonly data_unavailable: number;
}

/** The records that wait for their instrument to be verified, or failed with it. */
export interface VerificationStore {
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
}
