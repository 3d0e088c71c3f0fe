import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { CohortPageRequest, CohortReader } from '../../../domain/cohorts/cohort-reader.ts';
import { withoutImplied } from '../../../domain/cohorts/implied-filters.ts';
import type { PublicRow } from '../../../domain/decisions/public-handle.ts';
import { COHORT } from '../../../domain/limits.ts';
import { interval } from '../kit/interval.ts';
import type { Sql } from '../kit/sql.ts';
import { memberConditions, Parameters } from './cohort-conditions.ts';
import { momentOf } from './cohort-moment.ts';
import type { Grain } from './cohort-rollups.ts';
import { summarise } from './cohort-summary.ts';

/** @param grains of the database, see `readGrains` */
export function postgresCohorts(sql: Sql, grains: readonly Grain[]): CohortReader {
  return {
    summarise: (filter, producers, ownerProof = 'none') => summarise(sql, filter, { producers, ownerProof }, grains),
    page: (filter, request) => page(sql, filter, request),
  };
}

async function page(sql: Sql, cohort: CohortFilter, request: CohortPageRequest): Promise<PublicRow[]> {
  const { sort, limit, after, moment } = request;
  const { at, snapshot, ended } = momentOf(moment);
  const filter = withoutImplied(cohort);
  if (filter === null) return [];
  const parameters = new Parameters();
  const [order, beyond] = sort === 'data_cutoff_asc' ? ['asc', '>'] : ['desc', '<'];
  const snapshotSql = `${parameters.add(snapshot)}::pg_snapshot`;
  const conditions = [
    ...memberConditions(filter, parameters),
    ...(after
      ? [
          `(d.data_cutoff, d.record_id) ${beyond} (${parameters.add(after.data_cutoff)}, ${parameters.add(after.record_id)})`,
        ]
      : []),
    `(${[
      `pg_visible_in_snapshot(d.listed_xid, ${snapshotSql})`,
      ...(ended.length > 0 ? [`d.listed_xid = any(${parameters.add(ended)}::xid8[])`] : []),
      `(d.listed_xid >= pg_snapshot_xmax(${snapshotSql}) and d.listed_at < ${parameters.add(at)}::timestamptz - ${parameters.add(interval(COHORT.lateListing))}::interval)`,
    ].join(' or ')})`,
  ];
  const text = `select ${COHORT_ROW} from app.public_decisions d where ${conditions.join(' and ')}
    order by d.data_cutoff ${order}, d.record_id ${order} limit ${parameters.add(limit)}`;
  return sql.rows<PublicRow>(text, parameters.values);
}

export const COHORT_ROW = `d.record_id, d.market, d.symbol, d.venue, d.asset_class, d.quote_currency, d.cohort_key, d.direction,
  d.analysis_class, d.perspective_type, d.horizon_kind, d.horizon_value, d.data_cutoff, d.submission_origin,
  d.result_bucket, d.evaluated_at, d.created_regime ->> 'label' as created_regime, d.raw_return, d.directional_return,
  d.mfe, d.mae`;
