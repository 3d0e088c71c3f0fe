import { receivedReading } from '../../../domain/decisions/decision.ts';
import type {
  EvidenceReader,
  MisnumberedRecord,
  StoredRecord,
} from '../../../domain/decisions/views/decision-reader.ts';
import { exceptionOf } from '../../../domain/grading/cohort-exception.ts';
import type { EvidenceDocument, SealedEvidence } from '../../../domain/grading/evidence.ts';
import { gridOf } from '../../../domain/grading/grid.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { ErasureTables } from '../accounts/erasure-store.ts';
import type { AuditTables } from '../accounts/trail-stores.ts';
import type { SnapshotTables } from '../workflows/workflow-store.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

type EvidenceTables = DecisionTables & AuditTables & ErasureTables;

export function memoryEvidence(tables: EvidenceTables & SnapshotTables): EvidenceReader {
  const { decisions, evidenceBars, snapshots, audit } = tables;
  return {
    findEvidence: async (record_id) => findEvidence(tables, record_id),
    findEvidenceOfEach: async (record_ids) =>
      new Map(
        record_ids.flatMap((record_id) => {
          const sealed = findEvidence(tables, record_id);
          return sealed ? [[record_id, sealed] as const] : [];
        }),
      ),
    evaluatedAfter: async (after, limit, since = null) => evaluatedAfter(tables, after, limit, since),

    async recordsAfter(after, limit) {
      const rows = decisions.where(({ record_id }) => after === null || record_id > after);
      return pageOf(rows, ({ record_id }) => record_id, limit).map((row) => keptOf(tables, row));
    },

    misnumbered: async (limit) => misnumbered(decisions.where(({ number }) => number !== null)).slice(0, limit),

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

function misnumbered(numbered: readonly DecisionRow[]): MisnumberedRecord[] {
  const seen = new Map<string, number>();
  const byId = (a: Pick<DecisionRow, 'record_id'>, b: Pick<DecisionRow, 'record_id'>) =>
    a.record_id < b.record_id ? -1 : 1;
  const placed = numbered
    .toSorted((a, b) => Number(a.number) - Number(b.number) || byId(a, b))
    .map(({ record_id, agent_id, number }) => {
      const place = (seen.get(agent_id) ?? 0) + 1;
      seen.set(agent_id, place);
      return { record_id, number: Number(number), place };
    });
  return placed.filter(({ number, place }) => number !== place).toSorted(byId);
}

function findEvidence({ evidence, evidenceBars }: DecisionTables, record_id: string): SealedEvidence | null {
  const sealed = evidence.get(record_id);
  return sealed ? { ...sealed, bars: sealed.bars.flatMap((digest) => evidenceBars.get(digest) ?? []) } : null;
}

function evaluatedAfter(
  { decisions }: DecisionTables,
  after: string | null,
  limit: number,
  since: Date | null,
): string[] {
  const rows = decisions.where(({ facts, record_id }) => facts !== null && (after === null || record_id > after));
  return rows
    .filter(({ evaluated_at }) => since === null || (evaluated_at !== null && evaluated_at >= since))
    .map(({ record_id }) => record_id)
    .toSorted()
    .slice(0, limit);
}

function keptOf({ evidence, evidenceBars, agents, audit, erasures }: EvidenceTables, row: DecisionRow): StoredRecord {
  const { record_id, lifecycle_state, submission_time, direction, horizon_kind, horizon_value, data_cutoff, method } =
    row;
  const { owner_id, agent_id, isolation_snapshot_id, result_bucket, facts, evaluated_at, created_regime } = row;
  const { statement, salt, commitment, submission, receipt, related } = row;
  const sealed = evidence.get(record_id);
  return {
    ...{ record_id, lifecycle_state, submission_time, direction, horizon_kind, horizon_value, data_cutoff, method },
    result_bucket,
    columns: { ...row, instrument: instrumentKey(row), ...gradeColumns(row) },
    said: {
      ...{ statement, salt, commitment, receipt, related },
      ...{ submission: null, confidence: submission.confidence ?? null },
      received: {
        owner_id,
        agent_id,
        instrument: instrumentKey({ ...row, ...receivedReading(row) }),
        name: row.name ?? null,
        method,
        isolation_snapshot_id,
      },
    },
    agent: agents.get(agent_id) ?? null,
    erasure: erasureOf({ erasures, audit }, owner_id),
    moderation: moderationOf(audit, record_id),
    outcome: facts && { evaluated_at, result_bucket, created_regime, facts },
    evidence: sealed
      ? {
          digest: sealed.digest,
          document: sealed.document,
          ...barsNamedIn(sealed.document),
          missing_bars: sealed.bars.filter((digest) => !evidenceBars.get(digest)),
        }
      : null,
  };
}

function erasureOf({ erasures, audit }: Pick<EvidenceTables, 'erasures' | 'audit'>, owner_id: string) {
  const erasure = erasures.get(owner_id);
  const isLogged = audit.where(({ subject, action }) => subject === owner_id && action === 'delete_owner').length > 0;
  return erasure && isLogged ? { ended: erasure.ended_at !== null } : null;
}

function barsNamedIn(document: string) {
  const { path, daily } = JSON.parse(document) as EvidenceDocument;
  return { path_bars: path.bars, daily_bars: daily.bars };
}

function gradeColumns({ facts, wrong_security = false }: Pick<DecisionRow, 'facts' | 'wrong_security'>) {
  const { raw_return = null, directional_return = null, mfe = null, mae = null } = facts ?? {};
  const counted = {
    move: null,
    grid: facts && gridOf(facts),
    cohort_exception: exceptionOf({ facts, wrong_security }),
  };
  return { raw_return, directional_return, mfe: mfe?.value ?? null, mae: mae?.value ?? null, ...counted };
}

function moderationOf(audit: AuditTables['audit'], record_id: string): StoredRecord['moderation'] {
  const moves = audit.where(({ subject, action }) => subject === record_id && /^(quarantine|release)$/.test(action));
  return (moves.at(-1)?.action ?? null) as StoredRecord['moderation'];
}

function pageOf<Row>(rows: readonly Row[], idOf: (row: Row) => string, limit: number): readonly Row[] {
  return rows.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).slice(0, limit);
}
