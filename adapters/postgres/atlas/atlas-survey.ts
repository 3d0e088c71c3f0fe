import {
  type AtlasSurvey,
  type ByScope,
  byScope,
  type Candidate,
  type Chosen,
  type MonthTally,
  type Scope,
  type Tallies,
  type Tally,
} from '../../../domain/atlas/atlas-survey.ts';
import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';
import type { CohortRules } from '../../../domain/cohorts/suppression.ts';
import { countedRealtime, isCounted, leads, movesOfRow, sumOfMoves } from '../cohorts/cohort-conditions.ts';
import { COHORT_ROW } from '../cohorts/cohort-reader.ts';
import { type AlikeRow, alikeRecords } from '../cohorts/cohort-summary.ts';
import type { Sql } from '../kit/sql.ts';

type Rows = Pick<Sql, 'rows'>;

/** Reads cells and tail where they answer, and the records by their indexes else; all by statements of one transaction. */
export function atlasSurvey(sql: Rows): AtlasSurvey {
  return {
    async records() {
      const [row] = await sql.rows<{ records: number }>(`select ${PUBLIC_RECORDS} as records`);
      return row?.records ?? 0;
    },
    tallies: (rules) => tallies(sql, rules),
    cohorts: (instruments) => cohorts(sql, instruments),
    months: (instruments, rules) => months(sql, instruments, rules),
    newest: (chosen, limit) => newest(sql, chosen, limit),
  };
}

async function tallies(sql: Rows, { minProducers, minSamples, ownerProof }: CohortRules): Promise<ByScope<Tallies>> {
  const least = [minProducers, minSamples];
  const tallied = <Kind extends keyof Tallies>(statement: string) =>
    sql.rows<InBoth<Tallies[Kind][number]>>(statement, least);
  const instruments = await tallied<'instruments'>(tallyOf(ownerProof, IDENTITY));
  const perspectives = await tallied<'perspectives'>(tallyOf(ownerProof, 'market, perspective_type', NAMED));
  const perspectivesOf = await tallied<'perspectivesOf'>(tallyOf(ownerProof, 'instrument, perspective_type', NAMED));
  const workflows = await tallied<'workflows'>(byWorkflow(ownerProof));
  const workflowsOf = await tallied<'workflowsOf'>(byInstrumentAndWorkflow(ownerProof));
  return byScope((scope) => ({
    instruments: inScope(scope, instruments),
    perspectives: inScope(scope, perspectives),
    perspectivesOf: inScope(scope, perspectivesOf),
    workflows: inScope(scope, workflows),
    workflowsOf: inScope(scope, workflowsOf),
  }));
}

/** A tally of all records; `realtime` is that of realtime ones, null where those alone do not reach the thresholds. */
type InBoth<T extends Tally> = T & { readonly realtime: number | null };

function inScope<T extends Tally>(scope: Scope, tallies: readonly InBoth<T>[]): readonly T[] {
  if (scope === 'all') return tallies;
  return tallies.flatMap((tally) => (tally.realtime === null ? [] : [{ ...tally, samples: tally.realtime }]));
}

async function cohorts(sql: Rows, instruments: readonly string[]) {
  const rows = await sql.rows<{ instrument: string; alike: readonly AlikeRow[] }>(COHORTS, [instruments]);
  return new Map(rows.map(({ instrument, alike }) => [instrument, alike.map(alikeRecords)]));
}

async function months(
  sql: Rows,
  instruments: readonly string[],
  { minProducers, minSamples, ownerProof }: CohortRules,
) {
  const tallies = await sql.rows<InBoth<MonthTally>>(byMonth(ownerProof), [minProducers, minSamples, instruments]);
  return byScope((scope) => inScope(scope, tallies));
}

async function newest(sql: Rows, { scope, instruments, workflows }: Chosen, limit: number): Promise<Candidate[]> {
  const ofInstruments = await sql.rows<Candidate>(newestOf(scope).instruments, [instruments, limit]);
  const ofWorkflows = await sql.rows<Candidate>(newestOf(scope).workflows, [workflows, instruments, limit]);
  return [...ofInstruments, ...ofWorkflows];
}

const IDENTITY = 'market, symbol, venue, asset_class, quote_currency';
/** No link has two decisions of a group. Cells of these rollups have none of further horizons. */
const LEADS_IN_TAIL = 'not app.is_further_origin(cell_origin => t.submission_origin)';
const NAMED = `where perspective_type <> ''`;

/** How many there are: those of whole markets, and those that no cell counts yet. */
export const PUBLIC_RECORDS = `(
  (select coalesce(sum(n), 0) from app.cohort_cells where rollup = (${rollupOf('market')}))
  + (select count(*) from app.cohort_tail t where ${LEADS_IN_TAIL}))::float8`;

/** The rollup that keeps instruments apart, over all of time. */
const PARTS = `
  with parts as materialized (
    select ${IDENTITY}, concat_ws(':', ${IDENTITY}) as instrument, perspective_type, result_bucket, submission_origin,
      n, earliest, latest, owners, moves
    from app.cohort_cells where rollup = (${rollupOf('instruments')})
    union all
    select ${IDENTITY}, concat_ws(':', ${IDENTITY}), perspective_type, result_bucket, submission_origin, 1, data_cutoff,
      data_cutoff, array[owner_id], ${movesOfRow('t')}
    from app.cohort_tail t where ${LEADS_IN_TAIL}
  )`;

function rollupOf(grain: string): string {
  return `select rollup from app.cohort_rollups where (grain, period, clock) = ('${grain}', 'all', 'data_cutoff')`;
}

/** Groups with $2 records, and of those with $1 owners that count; `condition` is of all of them. */
function tallyOf(ownerProof: OwnerProof, columns: string, condition = ''): string {
  return `${PARTS}
    select ${columns}, t.samples, case when p.realtime and t.realtime >= $2 then t.realtime end as realtime from (
      select ${columns}, sum(n)::float8 as samples, sum(n) filter (where ${REALTIME})::float8 as realtime
      from parts ${condition} group by ${columns} having sum(n) >= $2
    ) t join (
      select ${columns}, count(*) filter (where realtime) >= $1 as realtime from (
        ${ownerProof === 'none' ? ownersOfParts(columns, condition) : verifiedOwners(columns, condition)}
      ) made group by ${columns} having count(*) >= $1
    ) p using (${columns})`;
}

/** A cell keeps more owners than a query may require, so the first $1 owners of each show whether there are $1 in all. */
function ownersOfParts(columns: string, condition: string): string {
  return `
    select ${columns}, owner_id, bool_or(${REALTIME}) as realtime
    from parts, unnest(owners[1:$1]) as owner_id ${condition} group by ${columns}, owner_id`;
}

/** From the records: the owners that a cell keeps may all be others. */
function verifiedOwners(columns: string, condition: string): string {
  return `
    select ${columns}, owner_id, bool_or(${countedRealtime('of_verified')}) as realtime
    from (select * from app.cohort_decisions p where ${leads('p')} and ${isCounted('p.owner_id', 'verified')}) of_verified
    ${condition} group by ${columns}, owner_id`;
}

const REALTIME = `submission_origin = 'realtime'`;
const PUBLIC = "exists (select from app.workflow_publications p where p.hash = w.hash and p.visibility = 'public')";

const byWorkflow = (ownerProof: OwnerProof) => `
  select w.hash, w.name, d.samples, d.realtime from (
    ${recordsBy(ownerProof, 'workflow_hash', 'workflow_hash is not null')}
  ) d join app.workflow_snapshots w on w.hash = d.workflow_hash where ${PUBLIC}`;

const byInstrumentAndWorkflow = (ownerProof: OwnerProof) => `
  select d.instrument, w.hash, d.samples, d.realtime from (
    ${recordsBy(ownerProof, 'instrument, workflow_hash', 'workflow_hash is not null')}
  ) d join app.workflow_snapshots w on w.hash = d.workflow_hash where ${PUBLIC}`;

const byMonth = (ownerProof: OwnerProof) =>
  recordsBy(
    ownerProof,
    'instrument, month',
    'instrument = any($3)',
    `, lateral (select date_trunc('month', data_cutoff, 'UTC') as month) of_month`,
  );

/** From the records themselves, by the thresholds $1 and $2. */
function recordsBy(ownerProof: OwnerProof, columns: string, condition: string, joined = ''): string {
  const realtime = `filter (where ${countedRealtime('r')})`;
  const counted = isCounted('r.owner_id', ownerProof);
  return `
    select ${columns}, count(*)::float8 as samples,
      case when count(*) ${realtime} >= $2 and count(distinct r.owner_id) filter (where ${countedRealtime('r')} and ${counted}) >= $1
        then (count(*) ${realtime})::float8 end as realtime
    from app.cohort_decisions r${joined} where ${leads('r')} and ${condition}
    group by ${columns} having count(*) >= $2 and count(distinct r.owner_id) filter (where ${counted}) >= $1`;
}

const COHORTS = `${PARTS}, chosen as (
    select instrument, perspective_type, result_bucket, submission_origin, sum(n)::float8 as n, min(earliest) as earliest,
      max(latest) as latest, ${sumOfMoves('moves')} as moves
    from parts where instrument = any($1) group by 1, 2, 3, 4
  )
  select instrument, jsonb_agg(to_jsonb(chosen)) as alike from chosen group by instrument`;

function newestOf(scope: Scope) {
  const ofScope = `and ${leads('d')} ${scope === 'all' ? '' : `and ${countedRealtime('d')}`}`;
  return {
    instruments: `
      select ${COHORT_ROW}, d.workflow_hash from unnest($1::text[]) as chosen(instrument) cross join lateral (
        select * from app.cohort_decisions d where d.instrument = chosen.instrument ${ofScope}
        order by d.data_cutoff desc, d.record_id desc limit $2
      ) d`,
    workflows: `
      select ${COHORT_ROW}, d.workflow_hash from unnest($1::text[]) as chosen(hash) cross join lateral (
        select * from app.cohort_decisions d where d.workflow_hash = chosen.hash and d.instrument = any($2) ${ofScope}
        order by d.data_cutoff desc, d.record_id desc limit $3
      ) d`,
  };
}
