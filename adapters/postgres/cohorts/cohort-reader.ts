import { type CohortFilter, withoutImplied } from '../../../domain/cohorts/cohort-filter.ts';
import type { CohortPageRequest, CohortReader } from '../../../domain/cohorts/cohort-reader.ts';
import type { LargestOwner } from '../../../domain/cohorts/owner-share.ts';
import { searchedForUngraded, type UngradedCohort } from '../../../domain/cohorts/ungraded-cohort.ts';
import { type WindowCounts, windowCounts } from '../../../domain/decisions/own/window-counts.ts';
import { leftOutCounts, SUSPECTED, type UngradedTally, WRONG_SECURITY } from '../../../domain/decisions/ungraded.ts';
import type { PublicRow } from '../../../domain/decisions/views/public-views.ts';
import { COHORT } from '../../../domain/limits.ts';
import { VENUE_TIME_ZONES } from '../../../domain/market/calendars/by-venue.ts';
import { UNGRADED_REASON, WINDOW_COLUMNS, windowCountsOf } from '../decisions/agent-lists.ts';
import { interval } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';
import {
  isCounted,
  memberConditions,
  momentOf,
  Parameters,
  ungradedConditions,
  type WantedProducers,
} from './cohort-conditions.ts';
import type { Rollups } from './cohort-plan.ts';
import { summarise } from './cohort-summary.ts';

/** @param rollups of the database, see `readRollups` */
export function postgresCohorts(sql: Sql, rollups: Rollups): CohortReader {
  return {
    summarise: (filter, producers, ownerProof = 'none') => summarise(sql, filter, { producers, ownerProof }, rollups),
    page: (filter, request) => page(sql, filter, request),
    windows: (filter, moment) => windows(sql, filter, moment),
    largestOwner: (filter, moment, size) => largestOwner(sql, filter, moment, size),
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
    ...membersAt(filter, moment, parameters),
    ...(after
      ? [
          `(d.data_cutoff, d.record_id) ${beyond} (${parameters.add(after.data_cutoff)}, ${parameters.add(after.record_id)})`,
        ]
      : []),
  ];
  const text = `select ${COHORT_ROW} from app.cohort_decisions d where ${conditions.join(' and ')}
    order by d.data_cutoff ${order}, d.record_id ${order} limit ${parameters.add(limit)}`;
  return sql.rows<PublicRow>(text, parameters.values);
}

async function windows(sql: Sql, cohort: CohortFilter, moment: string): Promise<WindowCounts | null> {
  const filter = withoutImplied(cohort);
  if (filter === null) return windowCounts([]);
  const parameters = new Parameters();
  const members = `select ${WINDOW_COLUMNS} from app.cohort_decisions d
    where ${membersAt(filter, moment, parameters).join(' and ')}`;
  const counts = windowCountsOf(members, parameters.add(VENUE_TIME_ZONES));
  const [row] = await sql.rows<{ windows: WindowCounts | null }>(`select ${counts} as windows`, parameters.values);
  return row?.windows ?? null;
}

/** The members are read before they are put in order, so that no plan looks for them in the order of the whole market. */
async function largestOwner(
  sql: Sql,
  cohort: CohortFilter,
  moment: string,
  size: number,
): Promise<LargestOwner | null> {
  const filter = withoutImplied(cohort);
  if (filter === null) return null;
  const parameters = new Parameters();
  const most = parameters.add(size);
  const text = `
    with members as materialized (
      select d.owner_id, d.record_id, d.evaluated_at from app.cohort_decisions d
      where ${membersAt(filter, moment, parameters).join(' and ')}
    ),
    sample as materialized (
      select owner_id, record_id from members order by evaluated_at, record_id limit ${most}
    ),
    owners as (select count(*)::int as records from sample group by owner_id)
    select max(o.records) as records,
      (select md5(string_agg(record_id, ' ')) from sample) as sample
    from owners o having sum(o.records) = ${most}`;
  const [row] = await sql.rows<LargestOwner>(text, parameters.values);
  return row ?? null;
}

/** What a record `d` must meet to have been in the cohort at that moment, and to be in it now. */
function membersAt(filter: CohortFilter, moment: string, parameters: Parameters): string[] {
  const { at, snapshot, ended } = momentOf(moment);
  const snapshotSql = `${parameters.add(snapshot)}::pg_snapshot`;
  return [
    ...memberConditions(filter, parameters),
    `(${[
      `pg_visible_in_snapshot(d.listed_xid, ${snapshotSql})`,
      ...(ended.length > 0 ? [`d.listed_xid = any(${parameters.add(ended)}::xid8[])`] : []),
      `(d.listed_xid >= pg_snapshot_xmax(${snapshotSql}) and d.listed_at < ${parameters.add(at)}::timestamptz - ${parameters.add(interval(COHORT.lateListing))}::interval)`,
    ].join(' or ')})`,
  ];
}

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
  const [row] = await sql.rows<UngradedRow>(statementOf(filter, wanted, parameters), parameters.values);
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
