import type { AuditFilter, AuditLog, LoggedEntry } from '../../../domain/audit-log.ts';
import type { Table } from '../kit/table.ts';

export interface AuditTables {
  /** By their place in the log, from 0. */
  readonly audit: Table<string, LoggedEntry>;
}

export function memoryAudit({ audit }: AuditTables): AuditLog {
  return {
    async append(entry, at) {
      audit.set(String(audit.where(() => true).length), { ...entry, at });
    },
    about: async (subject, limit) => newest(audit, { subject }, limit),
    list: async (filter, limit) => newest(audit, filter, limit),
  };
}

function newest(log: AuditTables['audit'], { since, subject, actor }: AuditFilter, limit: number): LoggedEntry[] {
  const fitting = log.where(
    (entry) =>
      (since === undefined || entry.at >= since) &&
      (subject === undefined || entry.subject === subject) &&
      (actor === undefined || entry.actor === actor),
  );
  return fitting.toReversed().slice(0, limit);
}
