import { breach, type Journal } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';

const CELL = 'market, result_bucket, submission_origin';

/** Compares every rollup with its tail with naive counts over the records; and the counts of agents and workflows. */
export async function checkCohorts(database: ChaosDatabase, journal: Journal): Promise<void> {
  for (const sql of [EVERY_ROLLUP, FINEST, TAIL, TRACKS]) {
    for (const { words } of await database.rows<{ words: string }>(sql)) breach(journal, 'cohorts', words);
  }
}

const COLUMNS = `market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class, horizon_kind,
  horizon_value, result_bucket, method`;
const KEY = `${COLUMNS}, submission_origin, grid`;

/** The records that cohorts count, with the origin that they count them as. */
const COUNTED = `(
    select ${COLUMNS}, data_cutoff, coalesce(grid, '') as grid, case
      when cohort_exception = 'carried_open' and submission_origin = 'realtime' then cohort_exception
      else submission_origin end as submission_origin
    from app.decisions where lifecycle_state = 'evaluated' and cohort_exception is distinct from 'suspected_split'
  ) as decisions`;

const HAS_CELLS = '(markets is null or market = any(markets))';

/** The cells of every rollup count each public record once, in the markets that it has cells of. */
const EVERY_ROLLUP = `
  with naive as (
    select rollup, ${CELL}, count(*) as n from app.cohort_rollups join ${COUNTED} on ${HAS_CELLS} group by 1, 2, 3, 4
  ), counted as (
    select rollup, ${CELL}, sum(n) as n from (
      select rollup, ${CELL}, n from app.cohort_cells
      union all
      select rollup, ${CELL}, 1 from app.cohort_rollups join app.cohort_tail on ${HAS_CELLS}
    ) parts group by 1, 2, 3, 4
  )
  select 'rollup ' || rollup || ' ' || concat_ws(' ', ${CELL}) || ': ' || coalesce(counted.n, 0) || ' of '
    || coalesce(naive.n, 0) as words
  from naive full join counted using (rollup, ${CELL}) where naive.n is distinct from counted.n`;

/** Compares the finest rollup cell by cell, with the times that it covers. */
const FINEST = `
  with naive as (
    select ${KEY}, count(*) as n, min(data_cutoff) as earliest, max(data_cutoff) as latest from ${COUNTED}
    group by ${KEY}
  ), counted as (
    select ${KEY}, sum(n) as n, min(earliest) as earliest, max(latest) as latest from (
      select ${KEY}, n, earliest, latest from app.cohort_cells where rollup = 27
      union all
      select ${KEY}, 1, data_cutoff, data_cutoff from app.cohort_tail
    ) parts group by ${KEY}
  )
  select concat_ws(' ', symbol, direction, horizon_value, result_bucket) || ': ' || coalesce(counted.n, 0) || ' of '
    || coalesce(naive.n, 0) as words
  from naive full join counted using (${KEY})
  where (naive.n, naive.earliest, naive.latest) is distinct from (counted.n, counted.earliest, counted.latest)`;

const TAIL = `
  select record_id || ' is in the tail and is ' || coalesce(lifecycle_state, 'not stored') as words
  from app.cohort_tail left join app.decisions using (record_id) where lifecycle_state is distinct from 'evaluated'`;

const TRACKS = `
  select cell || ': ' || coalesce(kept, 'nothing') || ' of ' || coalesce(counted, 'nothing') as words
  from app.track_faults()`;
