import type { Millis } from '../time.ts';
import { baseOf, type PoolCount, type PoolLimits, type PoolState, poolState } from './pools.ts';

/** What an owner has used and may still use today (interface.md section 8). */
export interface QuotaUsage {
  readonly query: PoolState;
  readonly read: PoolState;
  /** Each decision has a pool of its own. */
  readonly check: { readonly limit_per_decision: number };
}

export interface QuotaReader {
  /** The owner's pools on the UTC day of the database's clock, under these limits. It spends nothing. */
  usage(owner_id: string, limits: PoolLimits): Promise<QuotaUsage>;
}

/** Pools that were not used today have no count. */
export function quotaUsage(
  counts: { readonly query?: PoolCount | undefined; readonly read?: PoolCount | undefined },
  limits: PoolLimits,
  at: Millis,
): QuotaUsage {
  const stateOf = (pool: 'query' | 'read') => poolState(baseOf(pool, limits), counts[pool] ?? UNTOUCHED, at);
  return { query: stateOf('query'), read: stateOf('read'), check: { limit_per_decision: limits.checkPerDecision } };
}

const UNTOUCHED: PoolCount = { used: 0, credit: 0 };
