import { type KeptStore, type PoolCount, type QuotaReader, quotaUsage } from '../../../domain/quotas/pools.ts';
import { KEEP } from '../functions/called-functions.ts';
import type { Sql } from '../kit/sql.ts';

const COUNT = `select refused, kept, used_bytes::float8 as used_bytes, told_at as at from ${KEEP.call}`;

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

export function postgresKept(sql: Sql): KeptStore {
  return {
    async keep({ kind, rows, bytes, subjects }) {
      const values = KEEP.values({
        subjects: subjects.map(({ hash }) => Buffer.from(hash)),
        of_kind: kind,
        more: rows,
        more_bytes: bytes,
        mosts: subjects.map(({ most }) => most.rows),
        mosts_bytes: subjects.map(({ most }) => most.bytes),
      });
      const [row] = await sql.rows<KeptRow>(COUNT, values);
      if (!row) throw new Error('app.keep returned no row.');
      const subject = row.refused === null ? undefined : subjects[row.refused - 1];
      return subject ? { subject, used: { rows: row.kept, bytes: row.used_bytes }, at: row.at } : null;
    },
  };
}

interface KeptRow {
  /** The position of a subject, from 1. */
  readonly refused: number | null;
  readonly kept: number;
  readonly used_bytes: number;
  readonly at: Date;
}
