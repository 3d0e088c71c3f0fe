import type { CoarseOutcome, DatasetCohort } from '../../../domain/datasets/dataset-row.ts';
import type { DatasetSource, WantedCohorts } from '../../../domain/datasets/dataset-store.ts';
import type { TalliedCohort } from '../../../domain/datasets/published-cohort.ts';
import { countedRealtime } from '../cohorts/cohort-conditions.ts';
import { isCounted } from '../cohorts/counted-owners.ts';
import type { Sql } from '../kit/sql.ts';

/** Reads the records of one instrument at a time, by their index (public_by_instrument). */
export function datasetSource(sql: Pick<Sql, 'rows'>): DatasetSource {
  return {
    async instruments(after, limit) {
      const rows = await sql.rows<{ instrument: string }>(INSTRUMENTS, [after ?? '', limit]);
      return rows.map(({ instrument }) => instrument);
    },
    async cohorts(instrument, wanted) {
      const rows = await sql.rows<TallyRow>(cohortsOf(wanted), [instrument, wanted.samples, wanted.producers]);
      return rows.map(({ samples, enoughProducers, alike, ...cohort }) => ({
        cohort,
        samples,
        enoughProducers,
        alike: alike.map(({ records, ...outcome }) => ({ outcome, records })),
      }));
    },
  };
}

interface TallyRow extends DatasetCohort, Pick<TalliedCohort, 'samples' | 'enoughProducers'> {
  readonly alike: readonly (CoarseOutcome & { readonly records: number })[];
}

/** From one instrument to the next, by the index: a list of all records would pass over every one of them. */
const INSTRUMENTS = `
  with recursive listed(instrument) as (
    (select d.instrument from app.cohort_decisions d where d.instrument > $1 order by d.instrument limit 1)
    union all
    select (select d.instrument from app.cohort_decisions d where d.instrument > l.instrument
      order by d.instrument limit 1)
    from listed l where l.instrument is not null
  )
  select instrument from listed where instrument is not null limit $2`;

const COHORT = 'market, symbol, venue, asset_class, quote_currency, direction, horizon_kind, horizon_value';
const OUTCOME = 'data_cutoff_month, counted_as, result_bucket, move, method, grid';

function cohortsOf({ include_retroactive, ownerProof }: WantedCohorts): string {
  return `
    with members as materialized (
      select ${COHORT}, d.owner_id, to_char(d.data_cutoff at time zone 'UTC', 'YYYY-MM') as data_cutoff_month,
        app.counted_as(submission_origin => d.submission_origin, cohort_exception => d.cohort_exception) as counted_as, d.result_bucket, d.move, d.method, d.grid
      from app.cohort_decisions d
      where d.instrument = $1 ${include_retroactive ? '' : `and ${countedRealtime('d')}`}
    ),
    tallies as (
      select ${COHORT}, count(*)::float8 as samples,
        count(distinct m.owner_id) filter (where ${isCounted('m.owner_id', ownerProof)}) >= $3 as "enoughProducers"
      from members m group by ${COHORT} having count(*) >= $2
    ),
    alike as (select ${COHORT}, ${OUTCOME}, count(*)::float8 as records from members group by ${COHORT}, ${OUTCOME})
    select ${COHORT}, t.samples, t."enoughProducers", jsonb_agg(jsonb_build_object(
      'data_cutoff_month', a.data_cutoff_month, 'counted_as', a.counted_as, 'result_bucket', a.result_bucket,
      'move', a.move, 'method', a.method, 'grid', a.grid, 'records', a.records)) as alike
    from tallies t join alike a using (${COHORT}) group by ${COHORT}, t.samples, t."enoughProducers"`;
}
