import type { EvidenceReader, StoredRecord } from '../../../domain/decisions/evidence-reader.ts';
import type { SealedEvidence } from '../../../domain/grading/evidence.ts';
import type { AuditTables } from '../accounts/audit-log.ts';
import type { SnapshotTables } from '../workflows/snapshot-store.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

export function memoryEvidence(tables: DecisionTables & SnapshotTables & AuditTables): EvidenceReader {
  const { decisions, evidenceBars, snapshots, audit } = tables;
  return {
    findEvidence: async (record_id) => findEvidence(tables, record_id),
    evaluatedAfter: async (after, limit) => evaluatedAfter(tables, after, limit),

    async recordsAfter(after, limit) {
      const rows = decisions.where(({ record_id }) => after === null || record_id > after);
      return pageOf(rows, ({ record_id }) => record_id, limit).map((row) => keptOf(tables, row));
    },

    async barsAfter(after, limit) {
      const rows = evidenceBars.where(({ digest }) => after === null || digest > after);
      return pageOf(rows, ({ digest }) => digest, limit);
    },

    async snapshotsAfter(after, limit) {
      const rows = snapshots.where(({ hash }) => after === null || hash > after);
      const texts = rows.map(({ hash, content }) => ({ digest: hash, content }));
      return pageOf(texts, ({ digest }) => digest, limit);
    },

    async auditAfter(after, limit) {
      const rows = audit.where(({ seq }) => Number(seq) > Number(after));
      return rows.slice(0, limit).map((entry) => ({ ...entry, detail: JSON.stringify(entry.detail) }));
    },
  };
}

function findEvidence({ evidence, evidenceBars }: DecisionTables, record_id: string): SealedEvidence | null {
  const sealed = evidence.get(record_id);
  return sealed ? { ...sealed, bars: sealed.bars.flatMap((digest) => evidenceBars.get(digest) ?? []) } : null;
}

function evaluatedAfter({ decisions }: DecisionTables, after: string | null, limit: number): string[] {
  const rows = decisions.where(({ facts, record_id }) => facts !== null && (after === null || record_id > after));
  return rows
    .map(({ record_id }) => record_id)
    .toSorted()
    .slice(0, limit);
}

function keptOf({ evidence, evidenceBars }: DecisionTables, row: DecisionRow): StoredRecord {
  const { record_id, lifecycle_state, submission_time, direction, horizon_kind, horizon_value, data_cutoff, method } =
    row;
  const { statement, salt, commitment, result_bucket, facts } = row;
  const sealed = evidence.get(record_id);
  return {
    ...{ record_id, lifecycle_state, submission_time, direction, horizon_kind, horizon_value, data_cutoff, method },
    result_bucket,
    said: { statement, salt, commitment },
    has_outcome: facts !== null,
    evidence: sealed
      ? {
          digest: sealed.digest,
          document: sealed.document,
          missing_bars: sealed.bars.filter((digest) => !evidenceBars.get(digest)),
        }
      : null,
  };
}

function pageOf<Row>(rows: readonly Row[], idOf: (row: Row) => string, limit: number): readonly Row[] {
  return rows.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).slice(0, limit);
}
