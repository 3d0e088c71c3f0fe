import type { SubmissionOrigin } from '../decisions/call.ts';
import type { CohortException } from '../grading/cohort-exception.ts';
import { type Limits, QUOTA } from '../limits.ts';
import { type Millis, nextUtcDay } from '../time.ts';

/** The daily pools of an owner, which all of the owner's keys share (interface.md section 8). */
export const POOLS = ['query', 'read', 'check'] as const;
export type Pool = (typeof POOLS)[number];

/** The size of the pools without credit, per UTC day; for `check`, of each decision's own pool. */
export type PoolLimits = Pick<Limits, 'queryPerDay' | 'readPerDay' | 'checkPerDecision'>;

/** What an owner has used of a pool on a day, and the credit earned on top of its base. */
export interface PoolCount {
  readonly used: number;
  readonly credit: number;
}

/** A pool on a day. Unless an operator has lowered the limit since, `used + remaining = limit`. */
export interface PoolState extends PoolCount {
  /** Everything that can be spent on this day, credit included. */
  readonly limit: number;
  readonly remaining: number;
  /** 00:00 UTC of the next day. */
  readonly reset: Date;
}

/** `remaining` is never below 0, also when the limit was lowered after more was used. */
export function poolState(base: number, { used, credit }: PoolCount, at: Millis): PoolState {
  const limit = base + credit;
  return { limit, used, credit, remaining: Math.max(0, limit - used), reset: new Date(nextUtcDay(at)) };
}

export function baseOf(pool: Pool, { queryPerDay, readPerDay, checkPerDecision }: PoolLimits): number {
  return { query: queryPerDay, read: readPerDay, check: checkPerDecision }[pool];
}

/** The count after a request takes its units; null when the pool holds too few, and then none is taken. */
export function takeUnits<Count extends PoolCount>(base: number, count: Count, units: number): Count | null {
  return count.used + units > base + count.credit ? null : { ...count, used: count.used + units };
}

/** The count of the day that a unit was taken from, after the unit is given back (settled.md section 7). */
export function giveUnitBack<Count extends PoolCount>(count: Count): Count {
  return { ...count, used: Math.max(0, count.used - 1) };
}

/** What the evaluation of a record adds to its owner's `query` pool, once and on that day (interface.md section 8). */
export function creditOf(origin: SubmissionOrigin, exception: CohortException | null): number {
  return origin === 'realtime' && exception !== 'carried_open' ? QUOTA.queryCredit : 0;
}
