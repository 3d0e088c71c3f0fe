import { breach, type Journal } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';

/** Looks at evidence from time to time and remembers every row that it saw. */
export interface Witness {
  /** Compares what is there with everything that was seen before. */
  look(): Promise<void>;
  /** Rows that are remembered. */
  seen(): number;
}

/** What may only grow, and how its rows are told apart. */
const APPENDED = {
  audit_log: 'seq',
  credit_ledger: 'record_id',
  decision_documents: 'record_id',
  decision_outcomes: 'record_id',
  evidence_bars: 'digest',
  outcome_evidence: 'record_id',
  workflow_publications: 'seq',
  workflow_snapshots: 'hash',
} as const;

export function takeWitness(database: ChaosDatabase, journal: Journal): Witness {
  const tables = Object.entries(APPENDED).map(([table, key]) => ({ table, key, seen: new Map<string, string>() }));
  return {
    async look() {
      for (const { table, key, seen } of tables) {
        const sql = `select ${key}::text as id, md5(t::text) as sum from app.${table} t`;
        const rows = await database.rows<{ id: string; sum: string }>(sql);
        const there = new Map(rows.map(({ id, sum }) => [id, sum]));
        for (const [id, sum] of seen) {
          if (there.get(id) !== sum)
            breach(journal, 'appendOnly', `${table} ${id} ${there.has(id) ? 'changed' : 'is gone'}`);
        }
        for (const [id, sum] of there) seen.set(id, sum);
      }
    },
    seen: () => tables.reduce((sum, { seen }) => sum + seen.size, 0),
  };
}
