import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import { MINUTE, type Millis, SECOND } from '../../domain/time.ts';
import type { Failure } from './fetch-text.ts';

const FAILURES = 5;

const FIRST_PAUSE = 30 * SECOND;

const LONGEST_PAUSE = 5 * MINUTE;

/** Receives a line when a source begins to fail, is paused, and answers again. */
export interface SourceLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** How one source is doing: it pauses requests after failures, and writes a log line per change of state. */
export interface SourceState {
  isPaused(): boolean;
  /** Whether a request may be sent; each must end in `succeeded` or `failed`. */
  admits(): boolean;
  succeeded(): void;
  failed(failure: Pick<Failure, 'reason' | 'status' | 'code'>, about: Instrument): void;
  health(): SourceHealth;
}

/** Enough for any reason of this service; what a source sends within one is cut. */
const LONGEST = 200;

/** What it needs: a clock that never goes back, and where to log. */
export interface SourceStateTools {
  readonly timing: { now(): Millis };
  readonly log: SourceLog;
}

export function sourceState(source: string, { timing, log }: SourceStateTools): SourceState {
  const guard = breaker();
  let lastError: string | null = null;
  let logged: 'healthy' | 'failing' | 'paused' = 'healthy';
  return {
    isPaused: () => guard.state(timing.now()) === 'open',
    admits: () => guard.admits(timing.now()),
    succeeded() {
      const { failures: count } = guard.health(timing.now());
      guard.succeeded(timing.now());
      if (logged !== 'healthy') log.info('A market data source answers again', { source, count });
      logged = 'healthy';
    },
    failed({ reason, status, code }, about) {
      guard.failed(timing.now());
      lastError = reason.replace(/\p{Cc}/gu, ' ').slice(0, LONGEST);
      const { state, failures: count } = guard.health(timing.now());
      const fields = { source, instrument: instrumentKey(about), status, code, count };
      if (state === 'paused' && logged !== 'paused') log.warn('A market data source is paused after failures', fields);
      else if (logged === 'healthy') log.warn('A market data source failed', fields);
      if (state === 'paused' || logged === 'healthy') logged = state === 'paused' ? 'paused' : 'failing';
    },
    health: () => ({ source, last_error: lastError, ...guard.health(timing.now()) }),
  };
}

/** Why a source is not asked now, with the error that it failed with last; without one where its last request succeeded. */
export function withLastError(reason: string, { failures, last_error }: SourceHealth): string {
  return failures > 0 && last_error !== null ? `${reason}, last error: ${last_error}` : reason;
}

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
