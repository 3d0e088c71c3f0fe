import type { SealedBars, SealedEvidence } from '../../../domain/grading/evidence.ts';
import type { Sql } from '../kit/sql.ts';

/** See `DecisionStore.findEvidence`. */
export async function findEvidence(sql: Sql, record_id: string): Promise<SealedEvidence | null> {
  const [sealed] = await sql.rows<EvidenceRow>(EVIDENCE, [record_id]);
  return sealed ? { ...sealed, bars: sealed.bars ?? [] } : null;
}

/** See `DecisionStore.evaluatedAfter`. */
export async function evaluatedAfter(sql: Sql, values: readonly unknown[]): Promise<string[]> {
  const rows = await sql.rows<{ record_id: string }>(EVALUATED_AFTER, values);
  return rows.map(({ record_id }) => record_id);
}

type EvidenceRow = Omit<SealedEvidence, 'bars'> & { readonly bars: readonly SealedBars[] | null };

const EVIDENCE = `
  select e.digest, e.document,
    (select jsonb_agg(jsonb_build_object('digest', b.digest, 'content', b.content)) from app.evidence_bars b
      where b.digest = any(e.path_bars || e.daily_bars)) as bars
  from app.outcome_evidence e where e.record_id = $1`;

const EVALUATED_AFTER = `
  select record_id from app.decision_outcomes where $1::text is null or record_id > $1 order by record_id limit $2`;
