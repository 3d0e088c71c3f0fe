import type { Limits } from '../limits.ts';
import { type Millis, nextUtcDay } from '../time.ts';

/** The daily pools of an owner, which all of the owner's keys share (interface.md section 8). */
export const POOLS = ['query', 'read', 'check'] as const;
export type Pool = (typeof POOLS)[number];

/** What the pools hold without credit, per UTC day; of `check` each decision has so many of its own. */
export type PoolLimits = Pick<Limits, 'queryPerDay' | 'readPerDay' | 'checkPerDecision'>;

/** What an owner has used of a pool on a day, and what has been earned beside its base. */
export interface PoolCount {
  readonly used: number;
  readonly credit: number;
}

/** A pool on the day at hand. Unless an operator has lowered the limit since, `used + remaining = limit`. */
export interface PoolState extends PoolCount {
  /** All that can be spent on this day, credit included. */
  readonly limit: number;
  readonly remaining: number;
  /** 00:00 UTC of the next day. */
  readonly reset: Date;
}

/** What remains is never below 0, also where the limit was lowered after more was used. */
export function poolState(base: number, { used, credit }: PoolCount, at: Millis): PoolState {
  const limit = base + credit;
  return { limit, used, credit, remaining: Math.max(0, limit - used), reset: new Date(nextUtcDay(at)) };
}

export function baseOf(pool: Pool, { queryPerDay, readPerDay, checkPerDecision }: PoolLimits): number {
  return { query: queryPerDay, read: readPerDay, check: checkPerDecision }[pool];
}
