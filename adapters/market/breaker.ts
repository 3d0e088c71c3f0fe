import type { SourceHealth } from '../../domain/market/source-health.ts';
import { MINUTE, type Millis, SECOND } from '../../domain/time.ts';

/** Pauses the requests to a source that keeps failing, so that no caller waits for it and it can recover. */
export interface Breaker {
  /** `open`: no request is sent for a while; `half_open`: the next request is a trial. */
  state(now: Millis): 'closed' | 'open' | 'half_open';
  /** Whether a request may be sent. After a pause one is admitted as a trial; it must end in `succeeded` or `failed`. */
  admits(now: Millis): boolean;
  succeeded(now: Millis): void;
  failed(now: Millis): void;
  health(now: Millis): Omit<SourceHealth, 'source' | 'last_error'>;
}

const FAILURES = 5;
const FIRST_PAUSE = 30 * SECOND;
const LONGEST_PAUSE = 5 * MINUTE;

/** Five failures in a row open it for 30 s, each failed trial for twice as long, up to 5 minutes; one success closes it. */
export function breaker(): Breaker {
  let failures = 0;
  let openUntil: Millis | null = null;
  let pause = FIRST_PAUSE;
  let trial = false;
  let lastError: Date | null = null;
  let lastSuccess: Date | null = null;
  const state = (now: Millis) => (openUntil === null ? 'closed' : now < openUntil || trial ? 'open' : 'half_open');
  return {
    state,
    admits(now) {
      const current = state(now);
      if (current === 'half_open') trial = true;
      return current !== 'open';
    },
    succeeded(now) {
      failures = 0;
      openUntil = null;
      pause = FIRST_PAUSE;
      trial = false;
      lastSuccess = new Date(now);
    },
    failed(now) {
      failures += 1;
      lastError = new Date(now);
      // A request that was under way when it opened says nothing new.
      if (openUntil !== null && !trial) return;
      if (failures < FAILURES && !trial) return;
      openUntil = now + pause;
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      trial = false;
    },
    health(now) {
      const answered = lastSuccess === null ? 'never asked' : 'healthy';
      const name = state(now) === 'open' ? 'paused' : failures > 0 ? 'failing' : answered;
      return { state: name, failures, last_error_at: lastError, last_success_at: lastSuccess };
    },
  };
}
