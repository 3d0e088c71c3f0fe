import { type AlikeRecords, addUp } from '../../domain/cohorts/cohort-counts.ts';
import { type CohortFilter, wholeCohort } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortPageRequest, CohortReader, CohortRow, CohortSummary } from '../../domain/cohorts/cohort-reader.ts';
import { conditions, Parameters } from './cohort-conditions.ts';
import { MOMENT, momentOf } from './cohort-moment.ts';
import type { Sql } from './sql.ts';

export function postgresCohorts(sql: Sql): CohortReader {
  return {
    summarise: (filter, producers) => summarise(sql, filter, producers),
    page: (filter, request) => page(sql, filter, request),
  };
}

interface SummaryRow {
  readonly parts: readonly (Omit<AlikeRecords, 'earliest' | 'latest'> & { earliest: string; latest: string })[];
  readonly enough: boolean;
  readonly whole_samples: number;
  readonly whole_enough: boolean;
  readonly moment: string;
}

async function summarise(sql: Sql, filter: CohortFilter, producers: number): Promise<CohortSummary> {
  const parameters = new Parameters();
  const k = parameters.add(producers);
  const text = `
    with result as materialized (
      select perspective_type, result_bucket, submission_origin, data_cutoff, owner_id from app.decisions d
      where ${conditions(filter, parameters)}
    ), parts as (
      select perspective_type, result_bucket, submission_origin, count(*) as n, min(data_cutoff) as earliest,
        max(data_cutoff) as latest
      from result group by 1, 2, 3
    ), whole as materialized (
      select owner_id from app.decisions d where ${conditions(wholeCohort(filter), parameters)}
    )
    select coalesce((select jsonb_agg(to_jsonb(parts)) from parts), '[]') as parts,
      (select count(distinct owner_id) >= ${k}::int from result) as enough,
      (select count(*)::int from whole) as whole_samples,
      (select count(distinct owner_id) >= ${k}::int from whole) as whole_enough,
      ${MOMENT} as moment`;
  const [row] = await sql.rows<SummaryRow>(text, parameters.values);
  if (!row) throw new Error('A summary is one row');
  const parts = row.parts.map((part) => {
    return { ...part, earliest: new Date(part.earliest), latest: new Date(part.latest) };
  });
  const whole = { samples: row.whole_samples, enoughProducers: row.whole_enough };
  return { result: addUp(parts, row.enough), whole, moment: row.moment };
}

async function page(sql: Sql, filter: CohortFilter, request: CohortPageRequest): Promise<CohortRow[]> {
  const { sort, limit, after, moment } = request;
  const { at, snapshot } = momentOf(moment);
  const parameters = new Parameters();
  const [order, beyond] = sort === 'data_cutoff_asc' ? ['asc', '>'] : ['desc', '<'];
  const place = after && `(${parameters.add(after.data_cutoff)}, ${parameters.add(after.record_id)})`;
  const taken = parameters.add(snapshot);
  const text = `
    select ${ROW} from app.decisions d
    where ${conditions(filter, parameters)} ${place ? `and (d.data_cutoff, d.record_id) ${beyond} ${place}` : ''}
      and (pg_visible_in_snapshot(d.listed_xid, ${taken}::pg_snapshot) or (d.listed_xid >= pg_snapshot_xmax(${taken}::pg_snapshot)
        and d.listed_at < ${parameters.add(at)}::timestamptz - interval '10 minutes'))
    order by d.data_cutoff ${order}, d.record_id ${order} limit ${parameters.add(limit)}`;
  return sql.rows<CohortRow>(text, parameters.values);
}

const ROW = `d.record_id, d.market, d.symbol, d.venue, d.asset_class, d.quote_currency, d.cohort_key, d.direction,
  d.analysis_class, d.perspective_type, d.horizon_kind, d.horizon_value, d.data_cutoff, d.submission_origin,
  d.result_bucket, d.evaluated_at, d.created_regime ->> 'label' as created_regime, d.raw_return, d.directional_return,
  d.mfe, d.mae`;
