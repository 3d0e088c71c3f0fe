import { EntitySchema } from 'typeorm';
import type { LoggedEntry } from '../../../domain/audit-log.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

export type AuditRow = LoggedEntry & { readonly seq: string };

export const AUDIT_LOG = new EntitySchema<AuditRow>({
  name: 'audit_entry',
  tableName: 'audit_log',
  schema: 'app',
  columns: {
    seq: SEQUENCE,
    at: INSTANT,
    actor: { type: 'text' },
    action: { type: 'text' },
    subject: { type: 'text' },
    detail: { type: 'jsonb' },
  },
});
