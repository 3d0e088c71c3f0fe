import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import {
  continuationOf,
  type EvaluationEnd,
  type Graded,
  moveOf,
  RefusedEnds,
  stateAfter,
} from '../../../domain/decisions/evaluation-store.ts';
import { moveRange, moveZ } from '../../../domain/grading/bucket.ts';
import { cohortException } from '../../../domain/grading/cohort-exception.ts';
import type { SealedBars } from '../../../domain/grading/evidence.ts';
import { QUOTA } from '../../../domain/limits.ts';
import { type Sql, sqlState } from '../kit/sql.ts';
import { stateBefore } from './moderation.ts';

/** Ends evaluations, each kind in one statement, all in one transaction; see `EvaluationStore.endEvaluations`. */
export async function endEvaluations(
  sql: Sql,
  ends: readonly EvaluationEnd[],
  now: Date,
  names = ALL_NAMES,
): Promise<string[]> {
  return refusable(endTogether(sql, ends, now, names));
}

/** @throws RefusedEnds for values that the database refuses */
export async function refusable<T>(ending: Promise<T>): Promise<T> {
  try {
    return await ending;
  } catch (error) {
    throw REFUSED.test(sqlState(error)) ? new RefusedEnds('The database refuses an end', { cause: error }) : error;
  }
}

/** SQLSTATEs of values: no such number or text, a constraint, and what the triggers of this schema raise. */
const REFUSED = /^(22|23|42501$)/;

async function endTogether(sql: Sql, ends: readonly EvaluationEnd[], now: Date, names: number): Promise<string[]> {
  const evaluated = ends.flatMap((end) =>
    end.result.kind === 'evaluated' ? [{ ...lease(end), ...outcomeColumns(end.result) }] : [],
  );
  const bars = sharedBars(ends);
  const others = ends.flatMap((end) => (end.result.kind === 'evaluated' ? [] : [{ ...lease(end), ...progress(end) }]));
  return sql.atomically(async (own) => {
    const may = await mayEnd(own, names);
    if (may !== 'end') {
      if (may === 'plan') await own.rows(PLAN_AGAIN, [JSON.stringify(ends.map(lease)), now]);
      return [];
    }
    await run(own, EVIDENCE_BARS, [JSON.stringify(bars)], bars.length);
    const grades = [JSON.stringify(evaluated), now, QUOTA.queryCredit];
    const graded = await run<GradedRow>(own, EVALUATED, grades, evaluated.length);
    const moved = await run<EndedRow>(own, MOVED, [JSON.stringify(others)], others.length);
    // Last, because the pools that it locks are what requests of their owners wait for.
    const credits = graded.filter(({ amount }) => amount !== null);
    const columns = (['owner_id', 'day', 'amount'] as const).map((name) => credits.map((credit) => credit[name]));
    await run(own, POOLS, columns, credits.length);
    return [...graded, ...moved].map(({ record_id }) => record_id);
  });
}

/** See `EvaluationStore.mayEnd`. */
export async function mayEnd(sql: Sql, names = ALL_NAMES): Promise<'end' | 'plan' | 'wait'> {
  const [row] = await sql.rows<{ may: 'end' | 'plan' | 'wait' }>(MAY_END, [names]);
  return row?.may ?? 'wait';
}

interface EndedRow {
  readonly record_id: string;
}

/** With the credit that it earned; null without one. */
interface GradedRow extends EndedRow {
  readonly owner_id: string | null;
  readonly day: string | null;
  readonly amount: number | null;
}

async function run<Row extends object>(
  sql: Sql,
  text: string,
  values: readonly unknown[],
  members: number,
): Promise<readonly Row[]> {
  return members === 0 ? [] : sql.rows<Row>(text, values);
}

function lease({ record_id, token }: EvaluationEnd) {
  return { record_id, token };
}

/** The evidence contains the path of the outcome. The row has the direction, on which the range of its move depends. */
function outcomeColumns({ outcome, evidence, grid, end_time }: Graded) {
  const { result_bucket, created_regime, facts, owner_facts } = outcome;
  const { raw_return, directional_return, mfe, mae } = facts;
  const path = { raw_return, directional_return, mfe: mfe?.value ?? null, mae: mae.value };
  const { digest, document } = evidence;
  const moves = Object.fromEntries(DIRECTIONS.map((direction) => [direction, moveRange(moveZ(direction, facts))]));
  const parts = { moves, grid, cohort_exception: cohortException(facts) };
  return { end_time, result_bucket, created_regime, ...path, ...parts, facts, owner_facts, digest, document };
}

/** Each once, and in one order for all transactions, so that two which keep the same bars never deadlock. */
function sharedBars(ends: readonly EvaluationEnd[]): SealedBars[] {
  const all = ends.flatMap(({ result }) => (result.kind === 'evaluated' ? result.evidence.bars : []));
  const distinct = [...new Map(all.map((each) => [each.digest, each])).values()];
  return distinct.sort((a, b) => (a.digest < b.digest ? -1 : 1));
}

/** The columns of a record that goes on, or ends without an outcome. */
function progress(end: EvaluationEnd) {
  const move = moveOf(end);
  const { due_at, attempted, last_error } = continuationOf(end);
  const { end_time = null, settles_at = null } = end.result.kind === 'postponed' ? end.result : {};
  const untried = stateAfter(move, 0);
  const tried = stateAfter(move, 1);
  return { untried, tried, due_at, attempted, last_error, end_time, settles_at };
}

/** Later than any statement about names. */
export const ALL_NAMES = 2 ** 31 - 1;

const MAY_END = 'select app.may_end(names => $1) as may';

const PLAN_AGAIN = `
  update app.decisions d set due_at = $2
  from jsonb_to_recordset($1::jsonb) as e(record_id text, token uuid)
  where d.record_id = e.record_id and d.lifecycle_state = 'evaluating' and d.eval_token = e.token`;

const EVIDENCE_BARS = `
  insert into app.evidence_bars (digest, content)
  select digest, content from jsonb_to_recordset($1::jsonb) as b(digest text, content text)
  on conflict do nothing`;

/** A record has one credit, to the day of its evaluation, and a decision group has one: that of the first that is graded. */
const EVALUATED = `
  with ends as (
    select * from jsonb_to_recordset($1::jsonb) as e(record_id text, token uuid, result_bucket text, created_regime jsonb,
      raw_return float8, directional_return float8, mfe float8, mae float8, moves jsonb, grid text,
      cohort_exception text, facts jsonb, owner_facts jsonb, digest text,
      document text, end_time timestamptz)
  ), ended as (
    update app.decisions d set lifecycle_state = 'evaluated', due_at = null, eval_token = null, last_error = null,
      evaluated_at = $2, result_bucket = e.result_bucket, created_regime = e.created_regime, raw_return = e.raw_return,
      directional_return = e.directional_return, mfe = e.mfe, mae = e.mae, move = (e.moves ->> d.direction)::smallint,
      grid = e.grid, cohort_exception = e.cohort_exception,
      end_time = coalesce(e.end_time, d.end_time)
    from ends e
    where d.record_id = e.record_id and d.${stateBefore('grade')} and d.eval_token = e.token
    returning d.record_id, d.owner_id, d.submission_origin, d.cohort_exception, d.method, d.group_id, e.facts, e.owner_facts, e.digest, e.document
  ), kept as (
    insert into app.decision_outcomes (record_id, facts, owner_facts)
    select record_id, facts, owner_facts from ended
  ), sealed as (
    insert into app.outcome_evidence (record_id, digest, document, path_bars, daily_bars)
    select record_id, digest, document,
      array(select jsonb_array_elements_text(document::jsonb -> 'path' -> 'bars')),
      array(select jsonb_array_elements_text(document::jsonb -> 'daily' -> 'bars'))
    from ended
  ), credited as (
    insert into app.credit_ledger (record_id, owner_id, day, amount, with_grade, group_id)
    select d.record_id, d.owner_id, (greatest($2, f.at) at time zone 'UTC')::date, $3::int, true, d.group_id
    from ended d, app.limits_floor f
    where d.submission_origin = 'realtime'
      and (d.cohort_exception is null or (d.cohort_exception = 'suspected_split' and d.method = 'eval/2'))
    -- In one order, so that two which grade decisions of the same groups never deadlock.
    order by d.group_id, d.record_id
    on conflict do nothing
    returning record_id, owner_id, day, amount
  )
  select e.record_id, c.owner_id, c.day::text, c.amount from ended e left join credited c using (record_id)`;

/** In the order in which admissions lock pools. */
const POOLS = `
  insert into app.quota_days as q (owner_id, day, pool, credit)
  select owner_id, day, 'query', sum(amount)::int
  from unnest($1::uuid[], $2::date[], $3::int[]) as c (owner_id, day, amount) group by owner_id, day order by owner_id, day
  on conflict (owner_id, day, pool, record_id) do update set credit = q.credit + excluded.credit`;

/** `untried` and `tried`: the states after it for a record that was never deferred before, and for one that was. */
const MOVED = `
  update app.decisions d set due_at = e.due_at, eval_token = null, attempts = d.attempts + e.attempted,
    lifecycle_state = case when d.attempts > 0 then e.tried else e.untried end,
    last_error = e.last_error, end_time = coalesce(e.end_time, d.end_time),
    settles_at = coalesce(e.settles_at, d.settles_at)
  from jsonb_to_recordset($1::jsonb) as e(record_id text, token uuid, untried text, tried text, due_at timestamptz,
    attempted int, last_error text, end_time timestamptz, settles_at timestamptz)
  where d.record_id = e.record_id and d.${stateBefore('postpone')} and d.eval_token = e.token
  returning d.record_id`;
