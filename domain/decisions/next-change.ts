import { later, SECOND } from '../time.ts';
import type { Decision } from './decision.ts';

/** The fields of a record that decide when its state can change by itself. */
export type ChangeFacts = Pick<Decision, 'lifecycle_state' | 'end_time' | 'due_at'>;

/** The shortest hint in seconds: a sweep needs about that long. */
const SHORTEST = 2;

/**
 * The next moment at which `/state` can show something else without an operator: the next attempt to verify the
 * instrument, then the end of the window, then the next attempt to grade. A moment that is over is `now`. Null for a
 * state that only an operator changes.
 */
export function nextChange({ lifecycle_state, end_time, due_at }: ChangeFacts, now: Date): Date | null {
  switch (lifecycle_state) {
    case 'pending_verify':
      return notBefore(now, due_at);
    case 'verified':
      return now < end_time ? end_time : notBefore(now, due_at);
    case 'deferred':
      return notBefore(now, due_at);
    case 'evaluating':
      return now;
    case 'evaluated':
    case 'rejected':
    case 'data_unavailable':
    case 'quarantined':
      return null;
  }
}

/**
 * The `poll_after_seconds` of a change: rounded down, so that a poll is never later than it, and at least 2
 * (settled.md section 14, on section 4).
 */
export function secondsUntil(change: Date, now: Date): number {
  return Math.max(SHORTEST, Math.floor((change.getTime() - now.getTime()) / SECOND));
}

function notBefore(now: Date, at: Date | null): Date {
  return at === null ? now : later(at, now);
}
