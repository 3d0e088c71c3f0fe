import type { Pool } from 'pg';

/** The connections of this process's pool, and how many requests wait for one to come free. */
export interface PoolUse {
  readonly in_use: number;
  readonly idle: number;
  readonly waiting: number;
}

export function poolUse({ totalCount, idleCount, waitingCount }: Pool): PoolUse {
  return { in_use: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}
