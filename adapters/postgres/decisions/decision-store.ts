import type {
  Backlog,
  ClaimedDecision,
  DecisionStore,
  Lease,
  Revived,
  UnevaluatedDecision,
} from '../../../domain/decisions/decision-store.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import type { Sql } from '../kit/sql.ts';
import { DECISION_COLUMNS, decisionReader } from './decision-reader.ts';
import { endEvaluations } from './evaluation-ends.ts';
import { evaluatedAfter, findEvidence } from './kept-evidence.ts';

/** @param shared where records are read for nobody in particular */
export function postgresDecisions(sql: Sql, shared: Sql = sql): DecisionStore {
  const [own, others] = [decisionReader(sql), decisionReader(shared)];
  return {
    find: (record_ids, viewer) => (viewer === null ? others : own).find(record_ids, viewer),
    findStanding: (record_ids, viewer) => (viewer === null ? others : own).findStanding(record_ids, viewer),
    awaitingVerification: (now, limit) => sql.rows<Instrument>(AWAITING, [now, limit]),
    settleVerification: (instrument, verdict, reason) =>
      settle(sql, [instrumentKey(instrument), verdict, reason ?? null]),
    revive: (instrument, now) => revive(sql, instrument, now),
    claimDue: (now, leaseUntil, limit) => claim(sql, [now, leaseUntil, limit]),
    renewLeases: (held, leaseUntil) => renewLeases(sql, held, leaseUntil),
    endEvaluations: (ends, now) => endEvaluations(sql, ends, now),
    findEvidence: (record_id) => findEvidence(sql, record_id),
    evaluatedAfter: (after, limit) => evaluatedAfter(sql, [after, limit]),
    endLeases: (now) => endLeases(sql, now),
    nextDue: () => nextDue(sql),
    backlog: (now) => backlog(sql, now),
    prune: (now) => prune(sql, now),
  };
}

const AWAITING = `
  select distinct d.market, d.symbol, d.venue, d.asset_class, d.quote_currency
  from app.decisions d left join app.instruments i on i.instrument = d.instrument
  where d.lifecycle_state = 'pending_verify' and (i.retry_at is null or i.retry_at <= $1)
  limit $2`;

async function settle(sql: Sql, values: readonly unknown[]): Promise<number> {
  const rows = await sql.rows(
    `update app.decisions
     set lifecycle_state = $2, due_at = case when $2 = 'verified' then settles_at end, last_error = $3
     where instrument = $1 and lifecycle_state = 'pending_verify' returning 1`,
    values,
  );
  return rows.length;
}

async function revive(sql: Sql, instrument: Instrument, now: Date): Promise<Revived> {
  const [row] = await sql.rows<Revived>(REVIVE, [instrumentKey(instrument), now]);
  return row ?? { rejected: 0, data_unavailable: 0 };
}

const REVIVE = `
  with rejected as (
    update app.decisions set lifecycle_state = 'pending_verify'
    where instrument = $1 and lifecycle_state = 'rejected' returning 1
  ), unavailable as (
    update app.decisions set lifecycle_state = 'evaluating', eval_token = gen_random_uuid(), due_at = $2, attempts = 0,
      last_error = null
    where instrument = $1 and lifecycle_state = 'data_unavailable' returning 1
  )
  select (select count(*)::int from rejected) as rejected, (select count(*)::int from unavailable) as data_unavailable`;

async function claim(sql: Sql, values: readonly unknown[]): Promise<ClaimedDecision[]> {
  const rows = await sql.rows<UnevaluatedDecision & { eval_token: string }>(CLAIM, values);
  return rows.map(({ eval_token, ...decision }) => ({ decision, token: eval_token }));
}

const CLAIM = `
  with due as (
    select record_id from app.decisions where due_at <= $1 order by due_at limit $3 for update skip locked
  )
  update app.decisions d set lifecycle_state = 'evaluating', eval_token = gen_random_uuid(), due_at = $2
  from due join app.decision_documents doc on doc.record_id = due.record_id
  where d.record_id = due.record_id
  returning ${DECISION_COLUMNS}, d.eval_token, doc.submission`;

async function renewLeases(sql: Sql, held: readonly Lease[], leaseUntil: Date): Promise<string[]> {
  const leases = JSON.stringify(held.map(({ record_id, token }) => ({ record_id, token })));
  return (await sql.rows<Lease>(RENEW, [leases, leaseUntil])).map(({ record_id }) => record_id);
}

const RENEW = `
  update app.decisions d set due_at = $2
  from jsonb_to_recordset($1::jsonb) as held(record_id text, token uuid)
  where d.record_id = held.record_id and d.lifecycle_state = 'evaluating' and d.eval_token = held.token
  returning d.record_id`;

async function endLeases(sql: Sql, now: Date): Promise<number> {
  const end = `update app.decisions set due_at = $1 where lifecycle_state = 'evaluating' and due_at > $1 returning 1`;
  return (await sql.rows(end, [now])).length;
}

async function nextDue(sql: Sql): Promise<Date | null> {
  const [row] = await sql.rows<{ due_at: Date | null }>('select min(due_at) as due_at from app.decisions');
  return row?.due_at ?? null;
}

async function backlog(sql: Sql, now: Date): Promise<Backlog> {
  const count = 'select count(*)::int as due, min(due_at) as since from app.decisions where due_at <= $1';
  const [row] = await sql.rows<Backlog>(count, [now]);
  return row ?? { due: 0, since: null };
}

/** The longest cooldown that an operator can set is far below the age at which one is forgotten. */
async function prune(sql: Sql, now: Date): Promise<number> {
  const gone = await sql.atomically(async (own) => [
    await own.rows(
      `delete from app.idempotency where created_at <= $1::timestamptz - interval '48 hours' returning 1`,
      [now],
    ),
    await own.rows(`delete from app.cooldowns where last_at <= $1::timestamptz - interval '30 days' returning 1`, [
      now,
    ]),
    await own.rows(`delete from app.submit_hours where hour <= $1::timestamptz - interval '2 days' returning 1`, [now]),
    await own.rows(
      `delete from app.retroactive_days where day <= ($1::timestamptz at time zone 'UTC')::date - 2 returning 1`,
      [now],
    ),
  ]);
  return gone.flat().length;
}
