import { MoreThanOrEqual, type QueryDeepPartialEntity } from 'typeorm';
import type { AuditLog, LoggedEntry } from '../../../domain/audit-log.ts';
import { AUDIT_LOG, type AuditRow } from '../entities/audit-log.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresAudit(sql: Sql): AuditLog {
  const newest = async (where: object, limit: number): Promise<readonly LoggedEntry[]> =>
    (await sql.tables.find(AUDIT_LOG, { where, order: { seq: 'desc' }, take: limit })).map(entryOf);
  return {
    async append(entry) {
      await sql.tables.insert(AUDIT_LOG, entry as QueryDeepPartialEntity<AuditRow>);
    },
    about: (subject, limit) => newest({ subject }, limit),
    list: ({ since, subject, actor }, limit) =>
      newest(
        {
          ...(since !== undefined && { at: MoreThanOrEqual(since) }),
          ...(subject !== undefined && { subject }),
          ...(actor !== undefined && { actor }),
        },
        limit,
      ),
    async head() {
      const [last] = await sql.tables.find(AUDIT_LOG, { order: { seq: 'desc' }, take: 1 });
      return last ? { seq: last.seq, seal: last.seal } : null;
    },
  };
}

function entryOf({ seq, previous, seal, ...entry }: AuditRow): LoggedEntry {
  return entry;
}
