import type { AtlasSurvey, Candidate, Chosen, MonthTally, Tallies } from '../../domain/atlas/atlas-survey.ts';
import { addUp } from '../../domain/cohorts/cohort-counts.ts';
import type { CohortCounts } from '../../domain/cohorts/cohort-reader.ts';
import type { Thresholds } from '../../domain/cohorts/suppression.ts';
import { COHORT_ROW } from './cohort-reader.ts';
import { type AlikeRow, alikeRecords } from './cohort-summary.ts';
import type { Sql } from './sql.ts';

type Rows = Pick<Sql, 'rows'>;

/** Reads cells and tail where they answer, and the records by their indexes else; all by statements of one transaction. */
export function atlasSurvey(sql: Rows): AtlasSurvey {
  return {
    async records() {
      const [row] = await sql.rows<{ records: number }>(`select ${PUBLIC_RECORDS} as records`);
      return row?.records ?? 0;
    },
    tallies: (thresholds) => tallies(sql, thresholds),
    counts: (instruments, producers) => counts(sql, instruments, producers),
    months: (instruments, { minProducers, minSamples }) =>
      sql.rows<MonthTally>(MONTHS, [instruments, minProducers, minSamples]),
    newest: (chosen, limit) => newest(sql, chosen, limit),
  };
}

async function tallies(sql: Rows, { minProducers, minSamples }: Thresholds): Promise<Tallies> {
  const least = [minProducers, minSamples];
  const tallied = <Row extends object>(statement: string) => sql.rows<Row>(statement, least);
  return {
    instruments: await tallied(tallyOf(IDENTITY)),
    perspectives: await tallied(tallyOf('market, perspective_type', NAMED)),
    perspectivesOf: await tallied(tallyOf('instrument, perspective_type', NAMED)),
    workflows: await tallied(WORKFLOWS),
    workflowsOf: await tallied(WORKFLOWS_OF),
  };
}

async function counts(sql: Rows, instruments: readonly string[], producers: number) {
  const rows = await sql.rows<CountedRow>(COUNTS, [instruments, producers]);
  return new Map<string, CohortCounts>(
    rows.map(({ instrument, alike, enough }) => [instrument, addUp(alike.map(alikeRecords), enough)]),
  );
}

interface CountedRow {
  readonly instrument: string;
  readonly alike: readonly AlikeRow[];
  readonly enough: boolean;
}

async function newest(sql: Rows, { instruments, workflows }: Chosen, limit: number): Promise<Candidate[]> {
  const ofInstruments = await sql.rows<Candidate>(NEWEST, [instruments, limit]);
  const ofWorkflows = await sql.rows<Candidate>(NEWEST_OF_WORKFLOWS, [workflows, instruments, limit]);
  return [...ofInstruments, ...ofWorkflows];
}

const IDENTITY = 'market, symbol, venue, asset_class, quote_currency';
const NAMED = `where perspective_type <> ''`;

/** How many there are: those of whole markets, and those that no cell counts yet. */
export const PUBLIC_RECORDS = `(
  (select coalesce(sum(n), 0) from app.cohort_cells where rollup = (${rollupOf('market')}))
  + (select count(*) from app.cohort_tail))::float8`;

/** The rollup that keeps instruments apart, over all of time. */
const PARTS = `
  with parts as materialized (
    select ${IDENTITY}, concat_ws(':', ${IDENTITY}) as instrument, perspective_type, result_bucket, submission_origin,
      n, earliest, latest, owners
    from app.cohort_cells where rollup = (${rollupOf('instruments')})
    union all
    select ${IDENTITY}, concat_ws(':', ${IDENTITY}), perspective_type, result_bucket, submission_origin, 1, data_cutoff,
      data_cutoff, array[owner_id]
    from app.cohort_tail
  )`;

function rollupOf(grain: string): string {
  return `select rollup from app.cohort_rollups where (grain, period, clock) = ('${grain}', 'all', 'data_cutoff')`;
}

/** A cell keeps more owners than anybody may ask for, so that the first $1 of each tell whether there are $1 in all. */
function tallyOf(columns: string, condition = ''): string {
  return `${PARTS}
    select ${columns}, t.samples from (
      select ${columns}, sum(n)::float8 as samples from parts ${condition} group by ${columns} having sum(n) >= $2
    ) t join (
      select ${columns} from (select distinct ${columns}, owner_id from parts, unnest(owners[1:$1]) as owner_id ${condition}) made
      group by ${columns} having count(*) >= $1
    ) p using (${columns})`;
}

const PUBLIC = "exists (select from app.workflow_publications p where p.hash = w.hash and p.visibility = 'public')";

const WORKFLOWS = `
  select w.hash, w.name, d.samples from (
    select workflow_hash, count(*)::float8 as samples from app.decisions
    where workflow_hash is not null and lifecycle_state = 'evaluated'
    group by workflow_hash having count(*) >= $2 and count(distinct owner_id) >= $1
  ) d join app.workflow_snapshots w on w.hash = d.workflow_hash where ${PUBLIC}`;

const WORKFLOWS_OF = `
  select d.instrument, w.hash, d.samples from (
    select instrument, workflow_hash, count(*)::float8 as samples from app.decisions
    where workflow_hash is not null and lifecycle_state = 'evaluated'
    group by instrument, workflow_hash having count(*) >= $2 and count(distinct owner_id) >= $1
  ) d join app.workflow_snapshots w on w.hash = d.workflow_hash where ${PUBLIC}`;

const COUNTS = `${PARTS}, chosen as (
    select instrument, perspective_type, result_bucket, submission_origin, sum(n)::float8 as n, min(earliest) as earliest,
      max(latest) as latest
    from parts where instrument = any($1) group by 1, 2, 3, 4
  )
  select instrument, jsonb_agg(to_jsonb(chosen)) as alike,
    (select count(distinct owner_id) >= $2::int from parts p, unnest(owners[1:$2::int]) as owner_id
      where p.instrument = chosen.instrument) as enough
  from chosen group by instrument`;

const MONTHS = `
  select instrument, date_trunc('month', data_cutoff, 'UTC') as month, count(*)::float8 as samples from app.decisions
  where lifecycle_state = 'evaluated' and instrument = any($1)
  group by 1, 2 having count(*) >= $3 and count(distinct owner_id) >= $2`;

const NEWEST = `
  select ${COHORT_ROW}, d.workflow_hash from unnest($1::text[]) as chosen(instrument) cross join lateral (
    select * from app.decisions d where d.lifecycle_state = 'evaluated' and d.instrument = chosen.instrument
    order by d.data_cutoff desc, d.record_id desc limit $2
  ) d`;

const NEWEST_OF_WORKFLOWS = `
  select ${COHORT_ROW}, d.workflow_hash from unnest($1::text[]) as chosen(hash) cross join lateral (
    select * from app.decisions d where d.lifecycle_state = 'evaluated' and d.workflow_hash = chosen.hash
      and d.instrument = any($2)
    order by d.data_cutoff desc, d.record_id desc limit $3
  ) d`;
