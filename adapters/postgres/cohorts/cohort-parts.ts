import { type CohortFilter, evaluatedUntil } from '../../../domain/cohorts/cohort-filter.ts';
import { symbolOf, withoutImplied } from '../../../domain/cohorts/implied-filters.ts';
import type { OwnerProof } from '../../../domain/cohorts/owner-proof.ts';
import { equalities, evaluatedBy, type Parameters, rangeConditions, recordEqualities } from './cohort-conditions.ts';
import { type CellsPart, type CohortPlan, planOf, type Range } from './cohort-plan.ts';
import { KEPT_COLUMNS, type Rollup } from './cohort-rollups.ts';
import { isCounted } from './counted-owners.ts';
import { movesOfCounts, movesOfRow } from './move-counts.ts';

/** Which owners a query of parts returns. */
export interface WantedOwners {
  /** How many are enough, as a parameter. */
  readonly most: string;
  readonly ownerProof: OwnerProof;
}

/**
 * A query of the parts that a cohort falls into, each with its count, times and owners: cells, the rows of the tail that
 * they will count, and the records that are counted directly. Where all owners count, up to `most` of each part are
 * returned; else all that a cell holds, of which some may not count.
 */
export function partsOf(
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

const NOTHING = `select '', '', '', 0::bigint, null::timestamptz, null::timestamptz, '{}'::uuid[], '{}'::bigint[], null::timestamptz
  where false`;
