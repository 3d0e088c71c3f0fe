import type { AuditLog, LoggedEntry } from '../../../domain/audit-log.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresAudit(sql: Sql): AuditLog {
  return {
    async append({ actor, action, subject, detail }, at) {
      await sql.rows(APPEND, [at, actor, action, subject, JSON.stringify(detail)]);
    },
    about: (subject, limit) => sql.rows<LoggedEntry>(ABOUT, [subject, limit]),
    list: ({ since, subject, actor }, limit) => sql.rows<LoggedEntry>(LIST, [since, subject, actor, limit]),
  };
}

const APPEND = 'insert into app.audit_log (at, actor, action, subject, detail) values ($1, $2, $3, $4, $5::jsonb)';

const ABOUT = `
  select at, actor, action, subject, detail from app.audit_log where subject = $1 order by seq desc limit $2`;

const LIST = `
  select at, actor, action, subject, detail from app.audit_log
  where ($1::timestamptz is null or at >= $1) and ($2::text is null or subject = $2) and ($3::text is null or actor = $3)
  order by seq desc limit $4`;
