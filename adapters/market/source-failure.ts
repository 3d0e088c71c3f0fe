import { NO_REPLY } from '../../domain/market/source-health.ts';
import { MINUTE, type Millis } from '../../domain/time.ts';
import { AskedTooOften, MalformedAnswer } from './answer.ts';
import { NetworkFailure } from './fetch-text.ts';

/** Why a request brought nothing. */
export interface Failure {
  /** Completes "the source ...". */
  readonly reason: string;
  readonly status?: number;
  readonly code?: string;
  /** Whether asking again soon may help. */
  readonly passing: boolean;
  /** How long the source asked to be left alone. */
  readonly retryAfter: Millis | null;
}

/** A status that is no answer to the question. */
export class UnwantedStatus extends Error {
  override readonly name = 'UnwantedStatus';
  readonly status: number;
  readonly retryAfter: Millis | null;

  constructor(status: number, retryAfter: Millis | null) {
    super(String(status));
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** null for an error that neither the network nor the source has made. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof NetworkFailure) {
    const { code } = error;
    return { reason: `${NO_REPLY}${code}`, code, passing: code !== 'too_large', retryAfter: null };
  }
  if (error instanceof UnwantedStatus) {
    const { status, retryAfter } = error;
    const passing = status >= 500 || PASSING.has(status);
    const wait = status === 403 ? SHUT_OUT : null;
    return { reason: `answered ${status}`, status, passing, retryAfter: retryAfter ?? wait };
  }
  if (error instanceof MalformedAnswer) {
    return {
      reason: `sent an unexpected reply: ${error.message}`,
      code: 'malformed',
      passing: true,
      retryAfter: null,
    };
  }
  if (error instanceof AskedTooOften) {
    return { reason: 'is asked too often', code: 'rate_limit', passing: true, retryAfter: null };
  }
  return null;
}

/** Request timeout, too early, too many requests, and the ban that follows them (418). */
const PASSING: ReadonlySet<number> = new Set([408, 418, 425, 429]);

/** Bybit's address limit and Binance's firewall answer 403, and ask to be left alone for ten minutes. */
const SHUT_OUT = 10 * MINUTE;
