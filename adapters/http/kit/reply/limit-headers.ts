import type { QuotaState } from '../../../../application/quotas/admit-request.ts';
import { CONTRACT_LIMITS } from '../../../../domain/limits.ts';
import type { RateState } from '../../../../domain/quotas/rate-window.ts';
import { MINUTE, nextUtcDay, SECOND } from '../../../../domain/time.ts';

/** The seven limit headers of every response (settled.md section 7), as name, value, name, value. */
export function limitHeaders(rate: RateState, quota: QuotaState | null, now: Date = new Date()): string[] {
  return [
    'x-ratelimit-limit',
    String(rate.limit),
    'x-ratelimit-remaining',
    String(rate.remaining),
    'x-ratelimit-reset',
    String(unixTime(rate.reset)),
    'x-quota-resource',
    quota?.resource ?? 'none',
    'x-quota-remaining',
    quota ? String(quota.remaining) : 'unlimited',
    'x-quota-limit',
    quota ? String(quota.limit) : 'unlimited',
    'x-quota-reset',
    String(unixTime(quota?.reset ?? new Date(nextUtcDay(now.getTime())))),
  ];
}

/** For paths outside /api/v1, such as pages and probes, which are not counted; `limit`: the limit of an address. */
export function uncounted(limit: number = CONTRACT_LIMITS.addressPerMinute, now: number = Date.now()): RateState {
  return { limit, remaining: limit, reset: new Date((Math.floor(now / MINUTE) + 1) * MINUTE) };
}

/** For replies without a counter: parser errors, and the database cannot be reached. */
export function uncountable(
  retryAfter: number | null,
  limit: number = CONTRACT_LIMITS.addressPerMinute,
  now: number = Date.now(),
): RateState {
  return { limit, remaining: 0, reset: new Date(now + (retryAfter ?? 1) * SECOND) };
}

function unixTime(at: Date): number {
  return Math.ceil(at.getTime() / SECOND);
}
