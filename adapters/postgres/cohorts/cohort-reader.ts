import { type CohortFilter, withoutImplied } from '../../../domain/cohorts/cohort-filter.ts';
import type { CohortPageRequest, CohortReader } from '../../../domain/cohorts/cohort-reader.ts';
import { searchedForUngraded, type UngradedCohort } from '../../../domain/cohorts/ungraded-cohort.ts';
import { leftOutCounts, SUSPECTED, type UngradedTally, WRONG_SECURITY } from '../../../domain/decisions/ungraded.ts';
import type { PublicRow } from '../../../domain/decisions/views/public-views.ts';
import { COHORT } from '../../../domain/limits.ts';
import { UNGRADED_REASON } from '../decisions/agent-lists.ts';
import type { Sql } from '../kit/sql.ts';
import { statementNames } from '../kit/statement-names.ts';
import {
  atMoment,
  isCounted,
  memberConditions,
  Parameters,
  ungradedConditions,
  type WantedProducers,
} from './cohort-conditions.ts';
import { readMembers } from './cohort-members.ts';
import type { Rollups } from './cohort-plan.ts';
import { summarise } from './cohort-summary.ts';

/** @param rollups of the database, see `readRollups` */
export function postgresCohorts(sql: Sql, rollups: Rollups): CohortReader {
  return {
    summarise: (filter, producers, ownerProof = 'none') => summarise(sql, filter, { producers, ownerProof }, rollups),
    page: (filter, request) => page(sql, filter, request),
    ...readMembers(sql),
    ungraded: (filter, producers, ownerProof = 'none') => ungradedOf(sql, filter, { producers, ownerProof }),
  };
}

async function page(sql: Sql, cohort: CohortFilter, request: CohortPageRequest): Promise<PublicRow[]> {
  const { sort, limit, after, moment } = request;
  const filter = withoutImplied(cohort);
  if (filter === null) return [];
  const parameters = new Parameters();
  const [order, beyond] = sort === 'data_cutoff_asc' ? ['asc', '>'] : ['desc', '<'];
  const conditions = [
    ...memberConditions(filter, parameters),
    atMoment(moment, parameters),
    ...(after
      ? [
          `(d.data_cutoff, d.record_id) ${beyond} (${parameters.add(after.data_cutoff)}, ${parameters.add(after.record_id)})`,
        ]
      : []),
  ];
  const text = `select ${COHORT_ROW} from app.cohort_decisions d where ${conditions.join(' and ')}
    order by d.data_cutoff ${order}, d.record_id ${order} limit ${Math.trunc(limit)}`;
  return sql.rows<PublicRow>(text, parameters.values, isIndexed(filter) ? pageName(text) : undefined);
}

const [pageName, ungradedName] = [statementNames('cohort-page'), statementNames('cohort-ungraded')];

/** Whether an index has the records of a cohort in the order of its pages, with nothing but others by origin between. */
function isIndexed({ market: _, include_retroactive: __, ...filter }: CohortFilter): boolean {
  const names = Object.keys(filter).toSorted().join();
  return INDEXED.includes(names);
}

const INDEXED = [[], ['symbol'], ['cohort_key'], ['symbol', 'venue', 'asset_class', 'quote_currency']].map((names) =>
  names.toSorted().join(),
);

export const COHORT_ROW = `d.record_id, d.market, d.symbol, d.venue, d.asset_class, d.quote_currency, d.name, d.cohort_key, d.direction,
  d.received_symbol, d.received_cohort_key, d.counted_since,
  d.analysis_class, d.perspective_type, d.horizon_kind, d.horizon_value, d.data_cutoff, d.submission_origin,
  d.result_bucket, d.evaluated_at, d.created_regime ->> 'label' as created_regime, d.raw_return, d.directional_return,
  d.mfe, d.mae, d.group_place`;

/** See `CohortReader.ungraded`: one statement, so that all of it is of one snapshot. */
async function ungradedOf(sql: Sql, cohort: CohortFilter, wanted: WantedProducers): Promise<UngradedCohort | null> {
  const filter = withoutImplied(cohort);
  if (filter === null) return { counts: leftOutCounts([]), enoughProducers: false };
  const parameters = new Parameters();
  const text = statementOf(filter, wanted, parameters);
  const [row] = await sql.rows<UngradedRow>(text, parameters.values, ungradedName(text));
  if (!row) throw new Error('Ungraded counts are one row');
  return row.ungraded && { counts: leftOutCounts(row.ungraded.reasons), enoughProducers: row.ungraded.enough };
}

interface UngradedRow {
  readonly ungraded: { readonly reasons: readonly UngradedTally[]; readonly enough: boolean } | null;
}

/**
 * The indexes ungraded_by_symbol, suspected_by_symbol and wrong_by_symbol answer whether there are too many; only otherwise
 * are the records read. The order and the limit make the planner use them, however many records it expects.
 */
function statementOf(filter: CohortFilter, { producers, ownerProof }: WantedProducers, parameters: Parameters): string {
  const searched = ungradedConditions(searchedForUngraded(filter), parameters, true).join(' and ');
  const most = COHORT.mostUngraded;
  const of = (condition: string, columns: string) => `(select ${columns} from app.decisions d
      where ${condition} and ${searched} order by d.symbol limit ${most + 1})`;
  const search = (columns: string) => `${of("d.lifecycle_state in ('rejected', 'data_unavailable')", columns)}
      union all ${of("app.is_public(d.lifecycle_state) and d.cohort_exception = 'suspected_split'", columns)}
      union all ${of(`app.is_public(d.lifecycle_state) and d.cohort_exception = '${WRONG_SECURITY}'`, columns)}`;
  return `
    select case when (select count(*) from (${search('')}) searched) <= ${most} then (
      with found as materialized (
        select coalesce(${UNGRADED_REASON}, case d.cohort_exception when '${WRONG_SECURITY}' then d.cohort_exception
          else '${SUSPECTED}' end) as reason, d.owner_id from (${search('*')}) d
        where ${ungradedConditions(filter, parameters, false).join(' and ')}
      ), alike as (
        select reason, count(*) as records from found group by 1
      )
      select jsonb_build_object(
        'reasons', (select coalesce(jsonb_agg(jsonb_build_object('reason', reason, 'records', records)), '[]') from alike),
        'enough', (select count(*) >= ${parameters.add(producers)}::int
          from (select distinct owner_id from found) f where ${isCounted('f.owner_id', ownerProof)}))
    ) end as ungraded`;
}
