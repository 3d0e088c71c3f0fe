import {
  type CohortFilter,
  evaluatedUntil,
  symbolOf,
  wholeCohort,
  withoutImplied,
} from '../../../domain/cohorts/cohort-filter.ts';
import {
  type AlikeRecords,
  addUp,
  type CohortSummary,
  type OwnerProof,
} from '../../../domain/cohorts/cohort-reader.ts';
import type { Sql } from '../kit/sql.ts';
import { statementNames } from '../kit/statement-names.ts';
import {
  equalities,
  evaluatedBy,
  isCounted,
  memberConditions,
  momentSql,
  movesOfCounts,
  movesOfRow,
  originOfCell,
  Parameters,
  rangeConditions,
  recordEqualities,
  sumOfMoves,
  VERIFIED_OWNERS,
  type WantedProducers,
} from './cohort-conditions.ts';
import {
  type CellsPart,
  type CohortPlan,
  KEPT_COLUMNS,
  planOf,
  type Range,
  type Rollup,
  type Rollups,
} from './cohort-plan.ts';
import { editionOf } from './held-readings.ts';

const NOTHING = `select '', '', '', 0::bigint, null::timestamptz, null::timestamptz, '{}'::uuid[], '{}'::bigint[], null::timestamptz
  where false`;

/**
 * See `CohortReader.summarise`: one statement, so that all of it is of one snapshot. A server that does not have the
 * cells of a rollup yet, which the plan took from another, is queried again without it.
 */
export async function summarise(
  sql: Pick<Sql, 'rows'>,
  filter: CohortFilter,
  wanted: WantedProducers,
  rollups: Rollups,
): Promise<CohortSummary> {
  const parameters = new Parameters();
  const planned = rollups.of(filter.market);
  const text = statementOf(filter, wanted, parameters, planned);
  // Where records are read, the best plan hangs on their number.
  const name = wanted.ownerProof === 'none' && isOfCells(filter, planned) ? nameOf(text) : undefined;
  const [row] = await sql.rows<SummaryRow>(text, parameters.values, name);
  if (!row) throw new Error('A summary is one row');
  rollups.note(filter.market, row.rollups);
  if (planned.some(({ rollup }) => !row.rollups.includes(rollup))) return summarise(sql, filter, wanted, rollups);
  const { alike, last_graded, enough, whole_samples, whole_enough, moment, removals } = row;
  const whole = { samples: whole_samples, enoughProducers: whole_enough };
  const result = addUp(alike.map(alikeRecords), enough);
  return { result, lastGraded: last_graded, whole, moment, edition: editionOf(removals, result.samples) };
}

const nameOf = statementNames('cohort');

/** Whether all of a cohort, and of the whole that it is a part of, is in cells and the tail. */
function isOfCells(cohort: CohortFilter, rollups: readonly Rollup[]): boolean {
  return [cohort, wholeCohort(cohort)].every((each) => {
    const filter = withoutImplied(each);
    return filter !== null && planOf(filter, rollups).records.length === 0;
  });
}

interface SummaryRow {
  readonly alike: readonly AlikeRow[];
  readonly last_graded: Date | null;
  readonly enough: boolean;
  readonly whole_samples: number;
  readonly whole_enough: boolean;
  readonly moment: string;
  /** How often records left the cohorts of the market, and the start of the server: its snapshots follow one another. */
  readonly removals: string;
  /** Those that have the cells of the market. */
  readonly rollups: readonly number[];
}

export interface AlikeRow extends Omit<AlikeRecords, 'perspective_type' | 'submission_origin' | 'earliest' | 'latest'> {
  /** As cells have it. */
  readonly submission_origin: string;
  readonly perspective_type: NonNullable<AlikeRecords['perspective_type']> | '';
  readonly earliest: string;
  readonly latest: string;
}

function statementOf(
  filter: CohortFilter,
  { producers, ownerProof }: WantedProducers,
  parameters: Parameters,
  rollups: readonly Rollup[],
): string {
  const k = `${parameters.add(producers)}::int`;
  const wanted = { most: k, ownerProof };
  const enough = (parts: string, of: CohortFilter) =>
    ownerProof === 'none' ? enoughOwners(parts, k) : enoughVerified(parts, k, of, parameters);
  const whole = wholeCohort(filter);
  const same = Object.keys(whole).length === Object.keys(filter).length;
  const market = parameters.add(filter.market);
  const columns =
    '(perspective_type, result_bucket, submission_origin, n, earliest, latest, owners, moves, last_graded)';
  return `
    with result ${columns} as materialized (${partsOf(filter, wanted, parameters, rollups)})
      ${same ? '' : `, whole ${columns} as materialized (${partsOf(whole, wanted, parameters, rollups)})`},
    alike as (
      select perspective_type, result_bucket, submission_origin, sum(n) as n, min(earliest) as earliest,
        max(latest) as latest, ${sumOfMoves('moves')} as moves
      from result group by 1, 2, 3
    )
    select coalesce((select jsonb_agg(to_jsonb(alike)) from alike), '[]') as alike,
      (select case when bool_and(last_graded is not null) then max(last_graded) end from result) as last_graded,
      ${enough('result', filter)} as enough,
      (select coalesce(sum(n), 0)::float8 from ${same ? 'result' : 'whole'}) as whole_samples,
      ${enough(same ? 'result' : 'whole', whole)} as whole_enough, ${momentSql(filter.market, parameters)} as moment,
      extract(epoch from pg_postmaster_start_time()) || ' ' || coalesce((
        select r.removals from app.cohort_removals r where r.market = ${market}), 0) as removals,
      array(select r.rollup from app.cohort_rollups r where app.counts_market(r => r, market => ${market})) as rollups`;
}

/** Most often a single cell has enough owners; only otherwise are the distinct owners counted. */
function enoughOwners(parts: string, k: string): string {
  return `case when (select max(cardinality(owners)) from ${parts}) >= ${k} then true
    else (select count(distinct owner_id) >= ${k} from ${parts}, unnest(owners) as owner_id) end`;
}

/**
 * The owners of cells that hold all of theirs are looked up. A full cell may lack owners that count: if those that it
 * holds are not enough, the verified owners are tried one by one, until enough of them have a record of the cohort.
 */
function enoughVerified(parts: string, k: string, cohort: CohortFilter, parameters: Parameters): string {
  const filter = withoutImplied(cohort);
  const conditions = filter === null ? ['false'] : memberConditions(filter, parameters);
  return `case
    when (select count(*) from (select distinct owner_id from ${parts}, unnest(owners) as owner_id) o
      where ${isCounted('o.owner_id', 'verified')}) >= ${k} then true
    when coalesce((select max(cardinality(owners)) from ${parts}), 0) < app.owners_of_a_cell() then false
    else (select count(*) from (
      select from (${VERIFIED_OWNERS}) v
      where exists (select from app.cohort_decisions d where d.owner_id = v.owner_id and ${conditions.join(' and ')})
      limit ${k}) found) >= ${k} end`;
}

export function alikeRecords({
  perspective_type,
  submission_origin,
  earliest,
  latest,
  ...rest
}: AlikeRow): AlikeRecords {
  const times = { earliest: new Date(earliest), latest: new Date(latest) };
  const origin = { submission_origin: originOfCell(submission_origin) };
  return { ...rest, ...origin, perspective_type: perspective_type === '' ? null : perspective_type, ...times };
}

/** Which owners a query of parts returns. */
interface WantedOwners {
  /** How many are enough, as a parameter. */
  readonly most: string;
  readonly ownerProof: OwnerProof;
}

/**
 * A query of the parts that a cohort falls into, each with its count, times and owners: cells, the rows of the tail that
 * they will count, and the records that are counted directly. Where all owners count, up to `most` of each part are
 * returned; else all that a cell holds, of which some may not count.
 */
function partsOf(
  cohort: CohortFilter,
  wanted: WantedOwners,
  parameters: Parameters,
  rollups: readonly Rollup[],
): string {
  const filter = withoutImplied(cohort);
  if (filter === null) return NOTHING;
  const { cells, clock, counted, records } = planOf(filter, rollups);
  const parts = [
    ...cells.map((part) => cellsPart(filter, part, wanted, parameters)),
    ...(counted ? [tailPart(filter, counted, clock, parameters)] : []),
    ...records.map((range) => recordsPart(filter, range, clock, wanted, parameters)),
  ];
  return parts.length === 0 ? NOTHING : parts.join(' union all ');
}

function cellsPart(
  filter: CohortFilter,
  { rollup: { rollup, keeps }, ...range }: CellsPart,
  { most, ownerProof }: WantedOwners,
  parameters: Parameters,
): string {
  const empty = KEPT_COLUMNS.filter((column) => !keeps.includes(column));
  const symbol = filter.cohort_key !== undefined && keeps.includes('symbol') ? symbolOf(filter.cohort_key) : undefined;
  const conditions = [
    `c.rollup = ${rollup}`,
    // A cohort key stands behind the symbol in the order of the cells.
    ...equalities(symbol === undefined ? filter : { ...filter, symbol }, 'c', parameters),
    ...empty.map((column) => `c.${column} = ${column === 'horizon_value' ? '-1' : `''`}`),
    ...rangeConditions(range, 'c.since', parameters),
  ];
  return `select c.perspective_type, c.result_bucket, c.submission_origin, c.n, c.earliest, c.latest,
      ${ownerProof === 'none' ? `c.owners[1:${most}]` : 'c.owners'}, c.moves, c.last_graded
    from app.cohort_cells c where ${conditions.join(' and ')}`;
}

type Clock = CohortPlan['clock'];

function tailPart(filter: CohortFilter, range: Range, clock: Clock, parameters: Parameters): string {
  const conditions = [...equalities(filter, 't', parameters), ...rangeConditions(range, `t.${clock}`, parameters)];
  return `select t.perspective_type, t.result_bucket, t.submission_origin, 1, t.data_cutoff, t.data_cutoff,
      array[t.owner_id], ${movesOfRow('t')}, t.evaluated_at
    from app.cohort_tail t where ${conditions.join(' and ')}`;
}

/** The same owners with each group: up to `most` that count, of all records. Grouped by owners, most groups would be one record. */
function recordsPart(
  filter: CohortFilter,
  range: Range,
  clock: Clock,
  { most, ownerProof }: WantedOwners,
  parameters: Parameters,
): string {
  const evaluated_until = evaluatedUntil(filter);
  const conditions = [
    ...recordEqualities(filter, parameters),
    ...rangeConditions(range, `d.${clock}`, parameters),
    ...(evaluated_until && clock === 'data_cutoff' ? evaluatedBy(evaluated_until, parameters) : []),
  ].join(' and ');
  return `select coalesce(a.perspective_type, ''), a.result_bucket, a.submission_origin, sum(a.n)::bigint,
      min(a.earliest), max(a.latest),
      array(select distinct d.owner_id from app.cohort_decisions d
        where ${conditions} and ${isCounted('d.owner_id', ownerProof)} limit ${most}),
      ${movesOfCounts('a')}, max(a.last_graded)
    from (
      select d.perspective_type, d.result_bucket,
        app.counted_as(submission_origin => d.submission_origin, cohort_exception => d.cohort_exception)
          as submission_origin, d.move, count(*) as n, min(d.data_cutoff) as earliest, max(d.data_cutoff) as latest,
        max(d.evaluated_at) as last_graded
      from app.cohort_decisions d where ${conditions}
      group by 1, 2, 3, 4
    ) a
    group by 1, 2, 3`;
}
