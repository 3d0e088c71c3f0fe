import { VERIFICATION } from '../../limits.ts';
import type { Instrument } from '../../market/instrument.ts';
import type { InstrumentRecord } from '../../market/instrument-store.ts';
import { DAY } from '../../time.ts';
import type { Decision, LaterReading } from '../decision.ts';

/**
 * Whether a source has confirmed within the last 24 hours that the instrument exists: the records of other instruments start at
 * `pending_verify` (settled.md section 5; `app.context_of` is its form in SQL).
 */
export function isVerified(known: InstrumentRecord | null, now: Date): known is InstrumentRecord {
  return known?.status === 'verified' && isRecent(known, now);
}

export function isRecent({ checked_at }: Pick<InstrumentRecord, 'checked_at'>, now: Date): boolean {
  return now.getTime() - checked_at.getTime() < VERIFICATION.cache;
}

/**
 * A record as its readers see it. While its instrument cannot be verified, the time of the next attempt, the number of
 * attempts in a row and the reason are those of the instrument's verification.
 * @param known what the last verification of the instrument stored; null before the first
 */
export function withVerification<Read extends Pick<Decision, 'lifecycle_state' | 'due_at' | 'attempts' | 'last_error'>>(
  record: Read,
  known: Pick<InstrumentRecord, 'status' | 'retry_at' | 'attempts' | 'last_error'> | null,
): Read {
  if (record.lifecycle_state !== 'pending_verify' || known?.status !== 'unreachable') return record;
  return { ...record, due_at: known.retry_at, attempts: known.attempts, last_error: known.last_error };
}

/**
 * When the wait of a record in `pending_verify` for a source that cannot be reached is over: 8 days after the end of
 * its window, its submission, the statement by which it counts under the instrument, or the request for a refresh that is
 * still queued, whichever is latest.
 */
export function verificationEndsAt(
  { end_time, submission_time, counted_since }: Pick<Decision, 'end_time' | 'submission_time'> & LaterReading,
  refresh_requested_at: Date | null,
): Date {
  const since = [end_time, submission_time, counted_since, refresh_requested_at];
  const from = Math.max(...since.map((each) => each?.getTime() ?? 0));
  return new Date(from + VERIFICATION.patience);
}

/** What the owner reads of a record whose wait is over. @param lastError of the last attempt */
export function verificationEnded(lastError: string): string {
  return `No source could verify the instrument within ${VERIFICATION.patience / DAY} days. The last attempt: ${lastError}`;
}

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
