import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import type { Millis } from '../../domain/time.ts';
import { breaker } from './breaker.ts';
import type { Failure } from './source-failure.ts';

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
