import type { AuditEntry, AuditLog } from '../../domain/audit-log.ts';
import type { Sql } from './sql.ts';

export function postgresAudit(sql: Sql): AuditLog {
  return {
    async append({ actor, action, subject, detail }, at) {
      await sql.rows(APPEND, [at, actor, action, subject, JSON.stringify(detail)]);
    },
    about: (subject, limit) => sql.rows<AuditEntry & { readonly at: Date }>(ABOUT, [subject, limit]),
  };
}

const APPEND = 'insert into app.audit_log (at, actor, action, subject, detail) values ($1, $2, $3, $4, $5::jsonb)';

const ABOUT = `
  select at, actor, action, subject, detail from app.audit_log where subject = $1 order by seq desc limit $2`;
