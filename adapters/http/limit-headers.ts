import type { Caller } from '../../domain/caller.ts';
import { CONTRACT_LIMITS } from '../../domain/limits.ts';
import type { Problem } from '../../domain/problem.ts';
import { MINUTE, nextUtcDay, SECOND } from '../../domain/time.ts';
import type { Endpoint, QuotaState } from './endpoint.ts';

/** The window that a request was counted in, for the `x-ratelimit-*` headers; `reset` in Unix seconds. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

export interface AdmissionRequest {
  /** Null without a (valid) credential: the address is then what is counted. */
  readonly caller: Caller | null;
  /** Null for a path or method that is not served. */
  readonly endpoint: Endpoint | null;
  readonly address: string;
}

export interface Admission {
  readonly rate: RateState;
  /** RATE_LIMIT_EXCEEDED, when the window is full. */
  readonly refusal?: Problem;
}

/**
 * Counts one request under /api/v1 in its rate windows. It is asked after the credential is judged and before the
 * input is read; `caller` is the very object that `authenticate` returned, so that both can be one statement.
 */
export type Admit = (request: AdmissionRequest) => Promise<Admission>;

/** The five headers that every response carries (settled.md section 7), as name, value, name, value. */
export function limitHeaders(rate: RateState, quota: QuotaState | null): string[] {
  return [
    'x-ratelimit-limit',
    String(rate.limit),
    'x-ratelimit-remaining',
    String(rate.remaining),
    'x-ratelimit-reset',
    String(rate.reset),
    'x-quota-resource',
    quota?.resource ?? 'none',
    'x-quota-remaining',
    quota ? String(quota.remaining) : 'unlimited',
    'x-quota-limit',
    quota ? String(quota.limit) : 'unlimited',
    'x-quota-reset',
    String(quota?.reset ?? nextUtcDay(Date.now()) / SECOND),
  ];
}

/** Where nothing is counted: pages, probes, and an application without `admit`. */
export function uncounted(now: number = Date.now()): RateState {
  const limit = CONTRACT_LIMITS.ratePerMinute;
  return { limit, remaining: limit, reset: (Math.floor(now / MINUTE) + 1) * (MINUTE / SECOND) };
}

/** Where no counter can be had: parser errors, the database out of reach. */
export function uncountable(retryAfter: number | null, now: number = Date.now()): RateState {
  return {
    limit: CONTRACT_LIMITS.ratePerMinute,
    remaining: 0,
    reset: Math.ceil(now / SECOND) + (retryAfter ?? 1),
  };
}
