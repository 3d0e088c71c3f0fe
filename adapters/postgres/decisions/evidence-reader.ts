import type { ChainedEntry } from '../../../domain/audit-log.ts';
import type {
  EvidenceReader,
  MisnumberedRecord,
  StoredRecord,
  StoredText,
} from '../../../domain/decisions/views/decision-reader.ts';
import type { SealedBars, SealedEvidence } from '../../../domain/grading/evidence.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresEvidence(sql: Sql): EvidenceReader {
  return {
    findEvidence: async (record_id) => (await findEvidence(sql, [record_id])).get(record_id) ?? null,
    findEvidenceOfEach: (record_ids) => findEvidence(sql, record_ids),
    evaluatedAfter: (after, limit, since = null) => evaluatedAfter(sql, [after, limit, since]),
    recordsAfter: (...page) => recordsAfter(sql, page),
    misnumbered: (limit) => sql.rows<MisnumberedRecord>(MISNUMBERED, [limit]),
    barsAfter: (...page) => sql.rows<StoredText>(BARS_AFTER, page),
    snapshotsAfter: (...page) => sql.rows<StoredText>(SNAPSHOTS_AFTER, page),
    auditAfter: (...page) => sql.rows<ChainedEntry>(AUDIT_AFTER, page),
  };
}

/** The texts of bars are read once, since many records share them. */
async function findEvidence(sql: Sql, record_ids: readonly string[]): Promise<ReadonlyMap<string, SealedEvidence>> {
  const sorted = record_ids.toSorted();
  const rows = await sql.rows<EvidenceRow>(EVIDENCE, [record_ids, sorted.at(0) ?? '', sorted.at(-1) ?? '']);
  const digests = [...new Set(rows.flatMap(({ named }) => named))];
  const bars = digests.length === 0 ? [] : await sql.rows<SealedBars>(BARS, [digests]);
  const texts = new Map(bars.map((each) => [each.digest, each]));
  return new Map(
    rows.map(({ record_id, named, ...sealed }) => [
      record_id,
      { ...sealed, bars: [...new Set(named)].flatMap((digest) => texts.get(digest) ?? []) },
    ]),
  );
}

type RecordRow = Omit<StoredRecord, 'agent'> & {
  readonly agents_owner: string | null;
  readonly agents_time: Date | null;
};

async function recordsAfter(sql: Sql, page: readonly unknown[]): Promise<StoredRecord[]> {
  const rows = await sql.rows<RecordRow>(RECORDS_AFTER, page);
  return rows.map(({ agents_owner: owner_id, agents_time: created_at, ...row }) => {
    return { ...row, agent: owner_id === null || created_at === null ? null : { owner_id, created_at } };
  });
}

async function evaluatedAfter(sql: Sql, values: readonly unknown[]): Promise<string[]> {
  const rows = await sql.rows<{ record_id: string }>(EVALUATED_AFTER, values);
  return rows.map(({ record_id }) => record_id);
}

type EvidenceRow = Omit<SealedEvidence, 'bars'> & { readonly record_id: string; readonly named: readonly string[] };

/** By the first and the last id the server opens no partition that is not between them. */
const EVIDENCE = `
  select e.record_id, e.digest, e.document, e.path_bars || e.daily_bars as named
  from app.outcome_evidence e where e.record_id = any($1::text[]) and e.record_id between $2 and $3`;

const BARS = 'select digest, content from app.evidence_bars where digest = any($1::text[])';

const EVALUATED_AFTER = `
  select record_id from app.decision_outcomes
  where ($1::text is null or record_id > $1) and ($3::timestamptz is null or evaluated_at >= $3)
  order by record_id limit $2`;

const MISNUMBERED = `
  select record_id, number, place from (
    select record_id, number, row_number() over (partition by agent_id order by number, record_id)::int as place
    from app.decisions where number is not null) numbered
  where number <> place order by record_id limit $1`;

/** The same bound for each table: the server then reads none from its beginning, and no partition before it. */
const RECORDS_AFTER = `
  select d.record_id, d.lifecycle_state, d.submission_time, d.direction, d.horizon_kind, d.horizon_value, d.data_cutoff,
    d.method, d.result_bucket,
    case when s.record_id is not null then json_build_object(
      'statement', s.statement, 'salt', encode(s.salt, 'hex'), 'commitment', s.commitment, 'receipt', s.receipt,
      'received', s.received, 'submission', s.submission, 'confidence', s.confidence, 'related', array(
        select json_build_object('record_id', r.related_id, 'relation', r.relation) from app.decision_relations r
        where r.record_id = d.record_id)) end as said,
    (select jsonb_build_object('ended', x.ended_at is not null) from app.erasures x
      where x.owner_id = d.owner_id and exists (select from app.audit_log l
        where l.subject = d.owner_id::text and l.action = 'delete_owner')) as erasure,
    to_jsonb(d) as columns, a.owner_id as agents_owner, a.created_at as agents_time,
    (select l.action from app.audit_log l where l.subject = d.record_id and l.action in ('quarantine', 'release')
      order by l.seq desc limit 1) as moderation,
    case when o.record_id is not null then json_build_object('evaluated_at', o.evaluated_at, 'result_bucket',
      o.result_bucket, 'created_regime', o.created_regime, 'facts', o.facts) end as outcome,
    case when e.record_id is not null then json_build_object(
      'digest', e.digest, 'document', e.document, 'path_bars', e.path_bars, 'daily_bars', e.daily_bars, 'missing_bars', array(
        select named from unnest(e.path_bars || e.daily_bars) named
        where not exists (select from app.evidence_bars b where b.digest = named))) end as evidence
  from app.decisions d
  left join app.decision_documents s on s.record_id = d.record_id and s.record_id > coalesce($1, '')
  left join app.decision_outcomes o on o.record_id = d.record_id and o.record_id > coalesce($1, '')
  left join app.outcome_evidence e on e.record_id = d.record_id and e.record_id > coalesce($1, '')
  left join app.agents a on a.agent_id = d.agent_id
  where d.record_id > coalesce($1, '') order by d.record_id limit $2`;

const BARS_AFTER = `
  select digest, content from app.evidence_bars where $1::text is null or digest > $1 order by digest limit $2`;

const SNAPSHOTS_AFTER = `
  select hash as digest, content from app.workflow_snapshots where $1::text is null or hash > $1 order by hash limit $2`;

const AUDIT_AFTER = `
  select seq::text as seq, at, actor, action, subject, detail::text as detail, previous, seal from app.audit_log l
  where $1::bigint is null or l.seq > $1 order by l.seq limit $2`;
