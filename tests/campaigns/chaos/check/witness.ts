import { breach, type Journal } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';

/** Reads evidence from time to time and remembers every row. */
export interface Witness {
  /** Compares the rows with all that were seen before. */
  look(): Promise<void>;
  /** The number of remembered rows. */
  seen(): number;
}

/** Tables that may only grow, with their keys. A checkpoint is signed later. */
const APPENDED = {
  audit_log: 'seq',
  credit_ledger: 'record_id',
  decision_documents: 'record_id',
  decision_outcomes: 'record_id',
  evidence_bars: 'digest',
  log_checkpoints: 'size',
  log_decisions: 'record_id',
  log_outcomes: 'record_id',
  outcome_evidence: 'record_id',
  workflow_publications: 'seq',
  workflow_snapshots: 'hash',
} as const;

/** What stays of a row, where not all of it does. */
const SHOWN: Readonly<Record<string, string>> = { log_checkpoints: '(t.size, t.root)' };

export function openWitness(database: ChaosDatabase, journal: Journal): Witness {
  const tables = Object.entries(APPENDED).map(([table, key]) => ({ table, key, seen: new Map<string, string>() }));
  return {
    async look() {
      for (const { table, key, seen } of tables) {
        const sql = `select ${key}::text as id, md5(${SHOWN[table] ?? 't'}::text) as sum from app.${table} t`;
        const rows = await database.rows<{ id: string; sum: string }>(sql);
        const current = new Map(rows.map(({ id, sum }) => [id, sum]));
        for (const [id, sum] of seen) {
          if (current.get(id) === sum) continue;
          const promise = table === 'log_checkpoints' ? 'forked' : 'appendOnly';
          breach(journal, promise, `${table} ${id} ${current.has(id) ? 'changed' : 'is gone'}`);
        }
        for (const [id, sum] of current) seen.set(id, sum);
      }
    },
    seen: () => tables.reduce((sum, { seen }) => sum + seen.size, 0),
  };
}
