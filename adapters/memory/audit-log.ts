import type { AuditEntry, AuditLog } from '../../domain/audit-log.ts';
import type { Table } from './table.ts';

export interface AuditTables {
  /** By their place in the log, from 0. */
  readonly audit: Table<string, AuditEntry & { readonly at: Date }>;
}

export function memoryAudit({ audit }: AuditTables): AuditLog {
  return {
    async append(entry, at) {
      audit.set(String(audit.where(() => true).length), { ...entry, at });
    },
    about: async (subject, limit) =>
      audit
        .where((entry) => entry.subject === subject)
        .toReversed()
        .slice(0, limit),
  };
}
