import type { Allowance } from '../pace.ts';

/**
 * What keeps within so many requests in any minute, wherever the minute begins: those of a burst and those that follow
 * it together.
 */
export function perMinute(requests: number): Allowance {
  const burst = Math.max(1, Math.floor(requests / 4));
  return { perSecond: (requests - burst) / 60, burst };
}
