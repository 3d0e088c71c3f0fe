import { type AuditTables, memoryAudit } from '../accounts/trail-stores.ts';
import type { DecisionTables } from '../decisions/decision-tables.ts';

/** Marks that operators and owners set on a record. */
export interface RecordMarks {
  readonly archived_at?: Date;
  /** Puts the record under quarantine. */
  readonly quarantine_reason?: string;
}

/** Facts that are written outside of the submission path, put in place as if their own writer had written them. */
export interface Arrange {
  mark(record_id: string, marks: RecordMarks): Promise<void>;
}

export function memoryArrange(tables: Pick<DecisionTables, 'decisions'> & AuditTables, now: () => Date): Arrange {
  const { decisions } = tables;
  return {
    async mark(record_id, marks) {
      const row = decisions.get(record_id);
      if (!row) throw new Error(`There is no record ${record_id}.`);
      const quarantined = marks.quarantine_reason === undefined ? {} : QUARANTINED;
      decisions.set(record_id, { ...row, ...marks, ...quarantined });
      if (marks.quarantine_reason === undefined) return;
      await memoryAudit(tables, now).append({ actor: 'a test', action: 'quarantine', subject: record_id, detail: {} });
    },
  };
}

const QUARANTINED = { lifecycle_state: 'quarantined', due_at: null, eval_token: null } as const;
