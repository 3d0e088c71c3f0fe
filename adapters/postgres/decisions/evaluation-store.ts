import type { Decision } from '../../../domain/decisions/decision.ts';
import {
  type Backlog,
  type ClaimedDecision,
  type EvaluationStore,
  type FailureCount,
  type Failures,
  type Lease,
  UNEXPLAINED,
  type UnevaluatedDecision,
  type Unexplained,
} from '../../../domain/decisions/evaluation-store.ts';
import { ungradedCounts } from '../../../domain/decisions/ungraded.ts';
import { KNOWN_METHODS } from '../../../domain/grading/method.ts';
import { MARKETS } from '../../../domain/market/venues.ts';
import type { Sql } from '../kit/sql.ts';
import { DECISION_COLUMNS } from './decision-reader.ts';
import { endEvaluations, mayEnd } from './evaluation-ends.ts';
import { stateIn } from './moderation.ts';
import { submissionIn } from './submission-text.ts';

export function postgresEvaluations(sql: Sql): EvaluationStore {
  return {
    claimDue: (now, leaseUntil, limit) => claim(sql, [now, leaseUntil, limit, KNOWN_METHODS]),
    mayEnd: (names) => mayEnd(sql, names),
    renewLeases: (held, leaseUntil) => renewLeases(sql, held, leaseUntil),
    endEvaluations: (ends, now, names) => endEvaluations(sql, ends, now, names),
    endLeases: (now) => endLeases(sql, now),
    nextDue: () => nextDue(sql),
    backlog: (now) => backlog(sql, now),
    unexplained: (limit) => unexplained(sql, limit),
    failures: (submittedSince) => failures(sql, submittedSince),
    firstSubmitted: () => firstSubmitted(sql),
    lastGraded: () => lastGraded(sql),
  };
}

async function claim(sql: Sql, values: readonly unknown[]): Promise<ClaimedDecision[]> {
  const rows = await sql.rows<ClaimRow>(CLAIM, values);
  return rows.map(({ eval_token, statement, ...row }) => {
    // Parsed when it is read: a statement that was damaged past the guards fails its own evaluation only.
    const decision = {
      ...row,
      get submission() {
        return submissionIn(statement);
      },
    };
    return { decision, token: eval_token };
  });
}

type ClaimRow = Omit<UnevaluatedDecision, 'submission'> & Pick<Decision, 'statement'> & { readonly eval_token: string };

/** What is due is in a state before `claim`: a check constraint of the table holds that. */
const CLAIM = `
  with due as (
    select record_id from app.decisions where due_at <= $1 and method = any($4::text[])
    order by due_at limit $3 for update skip locked
  )
  update app.decisions d set lifecycle_state = 'evaluating', eval_token = gen_random_uuid(), due_at = $2
  from due join app.decision_documents doc on doc.record_id = due.record_id
  where d.record_id = due.record_id
  returning ${DECISION_COLUMNS}, d.eval_token, doc.statement`;

const LEASED = stateIn(['evaluating']);

async function renewLeases(sql: Sql, held: readonly Lease[], leaseUntil: Date): Promise<string[]> {
  const leases = JSON.stringify(held.map(({ record_id, token }) => ({ record_id, token })));
  return (await sql.rows<Lease>(RENEW, [leases, leaseUntil])).map(({ record_id }) => record_id);
}

/** Waits for no other transaction, such as an import of names, while it holds rows itself. */
const RENEW = `
  with renewed as (
    select d.record_id from app.decisions d
    join jsonb_to_recordset($1::jsonb) as held(record_id text, token uuid) using (record_id)
    where d.${LEASED} and d.eval_token = held.token for no key update of d skip locked
  )
  update app.decisions d set due_at = $2 from renewed where d.record_id = renewed.record_id returning d.record_id`;

async function endLeases(sql: Sql, now: Date): Promise<number> {
  const end = `update app.decisions set due_at = $1 where ${LEASED} and due_at > $1 returning 1`;
  return (await sql.rows(end, [now])).length;
}

async function nextDue(sql: Sql): Promise<Date | null> {
  const next = 'select min(due_at) as due_at from app.decisions where method = any($1::text[])';
  const [row] = await sql.rows<{ due_at: Date | null }>(next, [KNOWN_METHODS]);
  return row?.due_at ?? null;
}

async function backlog(sql: Sql, now: Date): Promise<Backlog> {
  const count = `
    select (count(*) filter (where known))::int as due, min(due_at) filter (where known) as since,
      (count(*) filter (where not known))::int as of_unknown_methods
    from (select due_at, method = any($2::text[]) as known from app.decisions where due_at <= $1) as waiting`;
  const [row] = await sql.rows<Backlog>(count, [now, KNOWN_METHODS]);
  return row ?? { due: 0, since: null, of_unknown_methods: 0 };
}

/** Those that wait have a time at which they are due, which is indexed. */
async function unexplained(sql: Sql, limit: number): Promise<readonly Unexplained[]> {
  const text = `
    select distinct concat_ws(':', market, symbol, venue, asset_class, quote_currency) collate "C" as instrument,
      last_error collate "C" as last_error
    from app.decisions
    where due_at is not null and lifecycle_state = 'deferred' and split_part(last_error, ':', 1) = any($1::text[])
    order by 1, 2 limit $2`;
  return sql.rows<Unexplained>(text, [UNEXPLAINED, limit]);
}

/** The states are literals, so that the index of these records is used. */
async function failures(sql: Sql, submittedSince: Date): Promise<Failures> {
  const text = `
    select lifecycle_state as state,
      app.ungraded_reason(lifecycle_state => lifecycle_state, last_error => last_error) as reason,
      count(*)::int as total,
      (count(*) filter (where submission_time >= $1))::int as recent
    from app.decisions where lifecycle_state in ('rejected', 'data_unavailable') group by 1, 2`;
  const rows = await sql.rows<FailureRow>(text, [submittedSince]);
  const count = (state: FailureRow['state']): FailureCount => {
    const counted = rows.filter((row) => row.state === state);
    const sum = (of: keyof FailureCount) => counted.reduce((total, row) => total + row[of], 0);
    return { total: sum('total'), recent: sum('recent') };
  };
  const tallies = rows.filter(({ state, recent }) => state === 'data_unavailable' && recent > 0);
  const { data_unavailable } = ungradedCounts(tallies.map(({ reason, recent }) => ({ reason, records: recent })));
  return {
    rejected: count('rejected'),
    data_unavailable: count('data_unavailable'),
    recent_reasons: data_unavailable,
  };
}

interface FailureRow extends FailureCount {
  readonly state: 'rejected' | 'data_unavailable';
  readonly reason: string;
}

/** By the ids, which begin with the day and are indexed; submission times alone are not. */
async function firstSubmitted(sql: Sql): Promise<Date | null> {
  const text = 'select submission_time as at from app.decisions order by record_id limit 1';
  const [row] = await sql.rows<{ readonly at: Date }>(text);
  return row?.at ?? null;
}

/** By market, because the index of graded records begins with it. */
async function lastGraded(sql: Sql): Promise<Date | null> {
  const text = `
    select max(newest.evaluated_at) as at from unnest($1::text[]) m(market) cross join lateral (
      select d.evaluated_at from app.public_decisions d where d.market = m.market
      order by d.evaluated_at desc limit 1) newest`;
  const [row] = await sql.rows<{ readonly at: Date | null }>(text, [MARKETS]);
  return row?.at ?? null;
}
