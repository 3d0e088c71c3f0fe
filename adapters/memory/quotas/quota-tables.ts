import {
  type KeptAmount,
  type KeptStore,
  keptAfter,
  type Pool,
  type PoolCount,
  type QuotaReader,
  quotaUsage,
} from '../../../domain/quotas/pools.ts';
import { utcDate } from '../../../domain/time.ts';
import { hex, type Table } from '../kit/table.ts';

/** What an owner spends on a day; of the pool `check` on one record. */
export interface QuotaRow extends PoolCount {
  readonly owner_id: string;
  /** UTC date. */
  readonly day: string;
  readonly pool: Pool;
  readonly record_id: string | null;
}

export interface CreditRow {
  readonly record_id: string;
  readonly owner_id: string;
  readonly day: string;
  readonly amount: number;
  /** Of the record, which has one credit for all of its decisions; null of most. */
  readonly group_id: string | null;
}

/** What a subject has kept of a kind on a day. */
export interface KeptRow extends KeptAmount {
  /** UTC date. */
  readonly day: string;
}

/** The last second and the last minute in which a subject was counted. */
export interface WindowRow {
  readonly subject: string;
  readonly second_start: Date;
  readonly second_used: number;
  readonly minute_start: Date;
  readonly minute_used: number;
}

export interface QuotaTables {
  /** By `quotaKey`. */
  readonly quotas: Table<string, QuotaRow>;
  /** By record. */
  readonly creditLedger: Table<string, CreditRow>;
  /** By `keptKey`. */
  readonly keptDays: Table<string, KeptRow>;
  /** By subject. */
  readonly windows: Table<string, WindowRow>;
  /** Under `FLOOR`: what was before it has been forgotten. */
  readonly floors: Table<string, { readonly at: Date }>;
}

export const FLOOR = 'floor';

/** The clock of windows and days: it never stands before what has been forgotten. */
export function limitsNow({ floors }: Pick<QuotaTables, 'floors'>, now: Date): Date {
  const floor = floors.get(FLOOR)?.at;
  return floor && floor > now ? floor : now;
}

export function quotaKey({ owner_id, day, pool, record_id }: Omit<QuotaRow, 'used' | 'credit'>): string {
  return `${owner_id} ${day} ${pool} ${record_id ?? ''}`;
}

export function keptKey(hash: Uint8Array, kind: string, day: string): string {
  return `${hex(hash)} ${kind} ${day}`;
}

export function memoryQuotas(tables: Pick<QuotaTables, 'quotas' | 'floors'>, now: () => Date): QuotaReader {
  return {
    async usage(owner_id, limits) {
      const at = limitsNow(tables, now());
      const countOf = (pool: 'query' | 'read') =>
        tables.quotas.get(quotaKey({ owner_id, day: utcDate(at), pool, record_id: null }));
      return quotaUsage({ query: countOf('query'), read: countOf('read') }, limits, at.getTime());
    },
  };
}

/** Judges every subject first, so that a refusal has nothing to take back. */
export function memoryKept(tables: QuotaTables, now: () => Date): KeptStore {
  return {
    async keep({ kind, subjects, ...more }) {
      const day = utcDate(limitsNow(tables, now()));
      const days = subjects.map((subject) => {
        const key = keptKey(subject.hash, kind, day);
        const used = tables.keptDays.get(key) ?? { rows: 0, bytes: 0 };
        return { key, subject, used, after: keptAfter(used, more, subject.most) };
      });
      const full = days.find(({ after }) => after === null);
      if (full) {
        const { rows, bytes } = full.used;
        return { subject: full.subject, used: { rows, bytes }, at: now() };
      }
      for (const { key, after } of days) if (after) tables.keptDays.set(key, { ...after, day });
      return null;
    },
  };
}
