import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { withoutImplied } from '../../../domain/cohorts/implied-filters.ts';
import { searchedForUngraded, type UngradedCohort } from '../../../domain/cohorts/ungraded-cohort.ts';
import { type UngradedTally, ungradedCounts } from '../../../domain/decisions/ungraded.ts';
import { COHORT } from '../../../domain/limits.ts';
import { UNGRADED_REASON } from '../decisions/record-group.ts';
import type { Sql } from '../kit/sql.ts';
import { equalities, Parameters } from './cohort-conditions.ts';
import { isCounted, type WantedProducers } from './counted-owners.ts';

/** See `CohortReader.ungraded`: one statement, so that all of it is of one snapshot. */
export async function ungradedOf(
  sql: Sql,
  cohort: CohortFilter,
  wanted: WantedProducers,
): Promise<UngradedCohort | null> {
  const filter = withoutImplied(cohort);
  if (filter === null) return { counts: ungradedCounts([]), enoughProducers: false };
  const parameters = new Parameters();
  const [row] = await sql.rows<UngradedRow>(statementOf(filter, wanted, parameters), parameters.values);
  if (!row) throw new Error('Ungraded counts are one row');
  return row.ungraded && { counts: ungradedCounts(row.ungraded.reasons), enoughProducers: row.ungraded.enough };
}

interface UngradedRow {
  readonly ungraded: { readonly reasons: readonly UngradedTally[]; readonly enough: boolean } | null;
}

/**
 * The index ungraded_by_symbol answers whether there are too many; only otherwise are the records read. The order and
 * the limit make the planner use that index, however many records it expects.
 */
function statementOf(filter: CohortFilter, { producers, ownerProof }: WantedProducers, parameters: Parameters): string {
  const searched = equalities(searchedForUngraded(filter), 'd', parameters).join(' and ');
  const most = COHORT.mostUngraded;
  const search = (columns: string) => `select ${columns} from app.decisions d
      where d.lifecycle_state in ('rejected', 'data_unavailable') and ${searched} order by d.symbol limit ${most + 1}`;
  return `
    select case when (select count(*) from (${search('')}) searched) <= ${most} then (
      with found as materialized (
        select d.lifecycle_state, d.last_error, d.owner_id from (${search('*')}) d
        where ${equalities(filter, 'd', parameters).join(' and ')}
      ), alike as (
        select lifecycle_state, last_error, count(*) as records from found group by 1, 2
      )
      select jsonb_build_object(
        'reasons', (select coalesce(jsonb_agg(jsonb_build_object('reason', ${UNGRADED_REASON}, 'records', records)), '[]')
          from alike d),
        'enough', (select count(*) >= ${parameters.add(producers)}::int
          from (select distinct owner_id from found) f where ${isCounted('f.owner_id', ownerProof)}))
    ) end as ungraded`;
}
