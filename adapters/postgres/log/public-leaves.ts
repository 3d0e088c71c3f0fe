import type { PublicDecisionLeaf, PublicLeaves, PublicOutcomeLeaf } from '../../../domain/log/log-evidence.ts';
import { MOST_TILE_WIDTH } from '../../../domain/log/tree/tile.ts';
import type { Sql } from '../kit/sql.ts';
import { IS_PUBLISHED } from './log-store.ts';
import { SHARING, TREE } from './log-writes.ts';

/** See `LogEvidence.publicLeaves`. */
export async function publicLeaves(sql: Sql, log: number, bundle: number): Promise<PublicLeaves | null> {
  const values = [log, bundle, bundle * MOST_TILE_WIDTH];
  const rows = await sql.rows<PartRow>(PUBLIC_LEAVES, values, 'read-public-leaves');
  const leaves = rows.find((row) => row.leaves !== null)?.leaves;
  if (!leaves) return null;
  const checkpoints = rows.flatMap((row) => row.checkpoints ?? []);
  return {
    leaves,
    decisions: rows.flatMap(({ decisions }) => decisions ?? []).map(decisionOf),
    outcomes: rows.flatMap(({ outcomes, facts }) => outcomesOf(outcomes ?? [], facts?.split('\n') ?? [])),
    checkpoints: checkpoints.map(({ root, signature, further, ...checkpoint }) => ({
      ...checkpoint,
      root: bytesOf(root),
      signature: signature === null ? null : bytesOf(signature),
      further: further.map((each) => ({ ...each, signature: bytesOf(each.signature) })),
    })),
  };
}

/** A value as JSON has it: bytes in hex, times as texts. */
type InJson<Value> = Value extends Date | Uint8Array
  ? string
  : Value extends object
    ? { readonly [Name in keyof Value]: InJson<Value[Name]> }
    : Value;

/** One row has the bundle and the checkpoints; each other one some decisions, or some outcomes with a line of facts each. */
interface PartRow {
  readonly leaves: Uint8Array | null;
  readonly checkpoints: readonly InJson<PublicLeaves['checkpoints'][number]>[] | null;
  readonly decisions: readonly DecisionRow[] | null;
  readonly outcomes: readonly OutcomeRow[] | null;
  readonly facts: string | null;
}

type DecisionRow = InJson<Omit<PublicDecisionLeaf, 'decision'> & Omit<PublicDecisionLeaf['decision'], 'submission'>> & {
  readonly factors: Exclude<PublicDecisionLeaf['decision']['submission']['key_factors'], undefined> | null;
};

function decisionOf({ index, public_salt, producer, factors, ...row }: DecisionRow): PublicDecisionLeaf {
  const [data_cutoff, submission_time] = [new Date(row.data_cutoff), new Date(row.submission_time)];
  const decision = { ...row, data_cutoff, submission_time, submission: { key_factors: factors ?? [] } };
  return { index, public_salt, producer, decision };
}

type OutcomeRow = Omit<PublicOutcomeLeaf, 'decision' | 'facts'> &
  Omit<PublicOutcomeLeaf['decision'], 'evaluated_at'> & { readonly evaluated_at: string | null };

/** @param facts of each, empty where they are gone */
function outcomesOf(rows: readonly OutcomeRow[], facts: readonly string[]): readonly PublicOutcomeLeaf[] {
  return rows.map(({ index, outcome_salt, evidence, ...row }, n) => {
    const evaluated_at = row.evaluated_at === null ? null : new Date(row.evaluated_at);
    return { index, outcome_salt, evidence, facts: facts[n] || null, decision: { ...row, evaluated_at } };
  });
}

function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

/**
 * Rows of so many leaves, as arrays of JSON: the driver takes three times as long for a row of each leaf, and a single row of
 * all is so long that both sides take new memory for each copy of it, which costs more than to make the text.
 */
const OF_ROW = 32;

/** The numbers of the last and the first one of a bundle differ by less, so that a plan for few rows is made. */
const OF_BUNDLE = `order by index limit ${MOST_TILE_WIDTH}`;

/**
 * $3 is the first index of the bundle. `spans` are the leaves of which the checkpoints of a log are the first ones, by whether
 * a quorum had these (`FIRST_WITH_EACH`); `sizes` those of checkpoints that can be the first with a leaf of the bundle: as many
 * different sizes as it has leaves reach beyond its end.
 */
const PUBLIC_LEAVES = `
  with place as materialized (
    select ${TREE} as tree, least($3::bigint + ${MOST_TILE_WIDTH}, c.size) as until
    from (select size from app.log_checkpoints where log = $1 and ${IS_PUBLISHED} order by size desc limit 1) c
    where c.size > $3
  ), ends as materialized (
    select g.log,
      (select size from app.log_checkpoints where log = g.log and witnessed_at is not null
        order by size desc limit 1) as witnessed,
      (select size from app.log_checkpoints where log = g.log and signature is not null
        order by size desc limit 1) as signed
    from (select log from ${SHARING} and log <= $1) g
  ), spans as materialized (
    select log, true as is_witnessed, coalesce(max(witnessed) over before, 0) as since, witnessed as until from ends
    window before as (order by log rows between unbounded preceding and 1 preceding)
    union all
    select log, false, greatest(max(signed) over before, (select max(witnessed) from ends), 0), signed from ends
    window before as (order by log rows between unbounded preceding and 1 preceding)
  ), sizes as materialized (
    select n.log, n.since, n.until, array_agg(s.size order by s.size) as each
    from spans n cross join lateral (
      (select size from app.log_checkpoints
        where n.is_witnessed and log = n.log and size > greatest($3, n.since) and witnessed_at is not null
        order by size limit ${MOST_TILE_WIDTH})
      union all
      (select size from app.log_checkpoints
        where not n.is_witnessed and log = n.log and size > greatest($3, n.since) and ${IS_PUBLISHED}
        order by size limit ${MOST_TILE_WIDTH})
    ) s
    where n.until > greatest($3, n.since) and n.since < $3 + ${MOST_TILE_WIDTH}
    group by n.log, n.since, n.until
  ), decisions as materialized (
    select l.index, encode(l.public_salt, 'hex') as public_salt, encode(l.producer, 'hex') as producer,
      d.record_id, d.market, coalesce(d.received_symbol, d.symbol) as symbol, d.venue, d.asset_class, d.quote_currency,
      coalesce(d.received_cohort_key, d.cohort_key) as cohort_key, d.direction,
      d.analysis_class, d.perspective_type, d.horizon_kind, d.horizon_value, d.data_cutoff, d.submission_time,
      d.submission_origin, d.method, d.group_place, coalesce(s.commitment, '') as commitment, app.stated_factors(s.statement) as factors
    from (select * from app.log_decisions where log = ${TREE} and index >= $3 ${OF_BUNDLE}) l
    join place p on l.index < p.until
    join app.public_decisions d on d.record_id = l.record_id
    left join app.decision_documents s on s.record_id = l.record_id
  ), outcomes as materialized (
    select l.index, encode(l.outcome_salt, 'hex') as outcome_salt, encode(l.evidence, 'hex') as evidence,
      d.record_id, d.result_bucket, d.evaluated_at, d.created_regime,
      case when l.shown = '{}' then o.facts else o.facts || l.shown end as facts
    from (select * from app.log_outcomes where log = ${TREE} and index >= $3 ${OF_BUNDLE}) l
    join place p on l.index < p.until
    join app.public_decisions d on d.record_id = l.record_id
    left join app.decision_outcomes o on o.record_id = l.record_id
  )
  select b.leaves,
    (select coalesce(json_agg(json_build_object('log', c.log, 'origin', g.origin, 'size', c.size,
        'root', encode(c.root, 'hex'), 'signature', encode(c.signature, 'hex'), 'key_id', coalesce(c.key_id, g.key_id),
        'further', (
          select coalesce(json_agg(json_build_object('name', s.name, 'id', s.key_id, 'signature', encode(s.signature, 'hex'))
            order by s.at, s.name, s.key_id), '[]')
          from app.log_signatures s where s.log = c.log and s.size = c.size)) order by c.size), '[]')
      from (select distinct z.log, z.each[width_bucket(d.index, z.each) + 1] as size
        from decisions d join sizes z on d.index >= z.since and d.index < z.until) f
      join app.log_checkpoints c on c.log = f.log and c.size = f.size
      join app.logs g on g.log = c.log) as checkpoints,
    null::json as decisions, null::json as outcomes, null as facts
  from place p join app.log_bundles b on b.log = p.tree and b.index = $2
  union all
  select null, null, json_agg(d), null, null from decisions d group by d.index / ${OF_ROW}
  union all
  select null, null, null, json_agg(json_build_object('index', o.index, 'outcome_salt', o.outcome_salt, 'evidence', o.evidence,
      'record_id', o.record_id, 'result_bucket', o.result_bucket, 'evaluated_at', o.evaluated_at,
      'created_regime', o.created_regime)), string_agg(coalesce(o.facts::text, ''), e'\\n')
  from outcomes o group by o.index / ${OF_ROW}`;
