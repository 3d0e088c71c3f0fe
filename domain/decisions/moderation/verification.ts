import { VERIFICATION } from '../../limits.ts';
import type { InstrumentRecord } from '../../market/instrument-store.ts';
import { DAY } from '../../time.ts';
import type { Decision } from '../decision.ts';

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
 * its window, its submission, or the request for a refresh that is still queued, whichever is latest.
 */
export function verificationEndsAt(
  { end_time, submission_time }: Pick<Decision, 'end_time' | 'submission_time'>,
  refresh_requested_at: Date | null,
): Date {
  const from = Math.max(end_time.getTime(), submission_time.getTime(), refresh_requested_at?.getTime() ?? 0);
  return new Date(from + VERIFICATION.patience);
}

/** What the owner reads of a record whose wait is over. @param lastError of the last attempt */
export function verificationEnded(lastError: string): string {
  return `No source could verify the instrument within ${VERIFICATION.patience / DAY} days. The last attempt: ${lastError}`;
}
