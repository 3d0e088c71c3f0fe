import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The connections of this process's pool, and how many requests wait for one to come free. */
export interface PoolUse {
  readonly in_use: number;
  readonly idle: number;
  readonly waiting: number;
}

export function poolUse(source: DataSource): PoolUse {
  const { totalCount, idleCount, waitingCount }: Pool = (source.driver as unknown as { readonly master: Pool }).master;
  return { in_use: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}
