import { And, LessThan, MoreThanOrEqual, type QueryDeepPartialEntity } from 'typeorm';
import type { AuditFilter, AuditLog, LoggedEntry } from '../../../domain/audit-log.ts';
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
    list: (filter, limit) => newest(conditionsOf(filter), limit),
    async page(filter, before, limit) {
      const where = { ...conditionsOf(filter), ...(before !== null && { seq: LessThan(before) }) };
      const rows = await sql.tables.find(AUDIT_LOG, { where, order: { seq: 'desc' }, take: limit });
      return rows.map((row) => ({ ...entryOf(row), seq: row.seq }));
    },
    async head() {
      const [last] = await sql.tables.find(AUDIT_LOG, { order: { seq: 'desc' }, take: 1 });
      return last ? { seq: last.seq, seal: last.seal } : null;
    },
  };
}

function conditionsOf({ since, until, subject, actor, action }: AuditFilter) {
  const times = [
    ...(since === undefined ? [] : [MoreThanOrEqual(since)]),
    ...(until === undefined ? [] : [LessThan(until)]),
  ];
  return {
    ...(times.length > 0 && { at: And(...times) }),
    ...(subject !== undefined && { subject }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
  };
}

function entryOf({ seq, previous, seal, ...entry }: AuditRow): LoggedEntry {
  return entry;
}
