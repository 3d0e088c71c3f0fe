import { sha256Hex } from '../../../application/sha256.ts';
import { BEFORE_THE_FIRST, type ChainedEntry, sealOf } from '../../../domain/audit-chain.ts';
import type { AuditFilter, AuditLog, LoggedEntry, PlacedEntry } from '../../../domain/audit-log.ts';
import type { Table } from '../kit/table.ts';

export interface AuditTables {
  /** In the order of the log. */
  readonly audit: Table<string, SealedEntry>;
}

export type SealedEntry = LoggedEntry & Pick<ChainedEntry, 'seq' | 'previous' | 'seal'>;

export function memoryAudit({ audit }: AuditTables, now: () => Date): AuditLog {
  return {
    async append(entry) {
      const last = audit.where(() => true).at(-1);
      const seq = String(Number(last?.seq ?? 0) + 1);
      const placed = { ...entry, seq, at: now(), previous: last?.seal ?? BEFORE_THE_FIRST };
      audit.set(seq, { ...placed, seal: sealOf({ ...placed, detail: JSON.stringify(entry.detail) }, sha256Hex) });
    },
    about: async (subject, limit) => newest(audit, { subject }, null, limit).map(withoutPlace),
    list: async (filter, limit) => newest(audit, filter, null, limit).map(withoutPlace),
    page: async (filter, before, limit) => newest(audit, filter, before, limit),
    async head() {
      const last = audit.where(() => true).at(-1);
      return last ? { seq: last.seq, seal: last.seal } : null;
    },
  };
}

function newest(
  log: AuditTables['audit'],
  { since, until, subject, actor, action }: AuditFilter,
  before: string | null,
  limit: number,
): PlacedEntry[] {
  const fitting = log.where(
    (entry) =>
      (since === undefined || entry.at >= since) &&
      (until === undefined || entry.at < until) &&
      (subject === undefined || entry.subject === subject) &&
      (actor === undefined || entry.actor === actor) &&
      (action === undefined || entry.action === action) &&
      (before === null || Number(entry.seq) < Number(before)),
  );
  return fitting
    .toReversed()
    .slice(0, limit)
    .map(({ previous, seal, ...entry }) => entry);
}

function withoutPlace({ seq: _, ...entry }: PlacedEntry): LoggedEntry {
  return entry;
}
