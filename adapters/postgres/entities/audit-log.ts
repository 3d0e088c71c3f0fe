import { EntitySchema } from 'typeorm';
import type { ChainedEntry, LoggedEntry } from '../../../domain/audit-log.ts';
import { COMPUTED, INSTANT, SEQUENCE } from './columns.ts';

export type AuditRow = LoggedEntry & Pick<ChainedEntry, 'seq' | 'previous' | 'seal'>;

export const AUDIT_LOG = new EntitySchema<AuditRow>({
  name: 'audit_entry',
  tableName: 'audit_log',
  schema: 'app',
  columns: {
    seq: SEQUENCE,
    at: { ...INSTANT, ...COMPUTED },
    actor: { type: 'text' },
    action: { type: 'text' },
    subject: { type: 'text' },
    detail: { type: 'jsonb' },
    previous: { type: 'text', ...COMPUTED },
    seal: { type: 'text', ...COMPUTED },
  },
  uniques: [{ columns: ['previous'] }],
});
