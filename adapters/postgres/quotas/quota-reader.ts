import type { PoolCount } from '../../../domain/quotas/pools.ts';
import { type QuotaReader, quotaUsage } from '../../../domain/quotas/quota-reader.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresQuotas(sql: Sql): QuotaReader {
  return {
    async usage(owner_id, limits) {
      const [row] = await sql.rows<{ at: Date; pools: Readonly<Record<string, PoolCount>> }>(USAGE, [owner_id]);
      if (!row) throw new Error('The database returned no time.');
      return quotaUsage(row.pools, limits, row.at.getTime());
    },
  };
}

const USAGE = `
  with clock as materialized (select app.limits_now() as at)
  select at, coalesce((
      select jsonb_object_agg(q.pool, jsonb_build_object('used', q.used, 'credit', q.credit))
      from app.quota_days q where q.owner_id = $1 and q.day = (at at time zone 'UTC')::date
    ), '{}') as pools
  from clock`;
