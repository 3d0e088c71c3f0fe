import type { Decision } from '../../../domain/decisions/decision.ts';
import { canMove, type LifecycleState, type Move, statesBefore } from '../../../domain/decisions/lifecycle.ts';
import {
  judgeQuarantine,
  type Moderation,
  type QuarantinedRecord,
  type QuarantinedRecords,
  releasedState,
} from '../../../domain/decisions/moderation/moderation.ts';
import type { Revived, VerificationStore, WaitingRecord } from '../../../domain/decisions/moderation/verification.ts';
import { VERIFICATION } from '../../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import type { Sql } from '../kit/sql.ts';

const AWAITING = `
  select distinct d.market, d.symbol, d.venue, d.asset_class, d.quote_currency
  from app.decisions d left join app.instruments i on i.instrument = d.instrument
  where d.${stateBefore('verify')} and (i.retry_at is null or i.retry_at <= $1)
  limit $2`;

const AWAITING_RETRY = `
  select distinct d.market, d.symbol, d.venue, d.asset_class, d.quote_currency
  from app.decisions d join app.instruments i on i.instrument = d.instrument
  where d.${stateBefore('verify')} and d.submission_origin = 'retroactive' and i.retry_at > $1
  limit $2`;

const WAITING_RETROACTIVE = `
  select record_id, market, symbol, venue, asset_class, quote_currency, submission_origin, method, horizon_kind,
    horizon_value, anchor_time
  from app.decisions
  where instrument = $1 and ${stateBefore('verify')} and submission_origin = 'retroactive' and record_id > $2
  order by record_id limit $3`;

const VERIFY_RECORDS = `
  update app.decisions set lifecycle_state = 'verified', due_at = settles_at, last_error = null
  where record_id = any($1) and ${stateBefore('verify')}
  returning 1`;

/** The condition is `verificationEndsAt`; `greatest` ignores nulls. */
const END_WAITS = `
  update app.decisions d set lifecycle_state = 'rejected', last_error = $3
  where d.instrument = $1 and d.${stateBefore('expire')} and greatest(d.end_time, d.submission_time,
    d.counted_since, (select r.requested_at from app.instrument_refreshes r where r.instrument = $1)) <= $2
  returning 1`;

const REVIVE = `
  with rejected as (
    update app.decisions set lifecycle_state = 'pending_verify', last_error = null
    where instrument = $1 and ${stateBefore('refresh', 'pending_verify')} returning 1
  ), unavailable as (
    update app.decisions set lifecycle_state = 'evaluating', eval_token = gen_random_uuid(), due_at = $2, attempts = 0,
      last_error = null
    where instrument = $1 and ${stateBefore('refresh', 'evaluating')} returning 1
  )
  select (select count(*)::int from rejected) as rejected, (select count(*)::int from unavailable) as data_unavailable`;

/** SQL by hand: a row comparison, on an index of these records alone. */
const LIST = `
  select record_id, owner_id, agent_id, market, symbol, venue, asset_class, quote_currency, direction, submission_time,
    submission_origin, quarantine_reason as reason, evaluated_at is not null as graded
  from app.decisions
  where lifecycle_state = 'quarantined'
    and ($1::timestamptz is null or (submission_time, record_id) < ($1::timestamptz, $2::text))
    and ($3::uuid is null or owner_id = $3::uuid)
  order by submission_time desc, record_id desc limit $4`;

/** The row is locked first, so that what is judged is what is changed: claims and ends of evaluations wait or go by. */
export function postgresModeration(sql: Sql): Moderation {
  return {
    quarantine: (record_id, reason, now) =>
      sql.atomically(async (own) => {
        const [record] = await own.rows<Pick<Decision, 'lifecycle_state' | 'due_at'>>(LOCK, [record_id]);
        if (!record) return null;
        const verdict = judgeQuarantine(record, now);
        if (verdict === 'quarantined') await own.rows(QUARANTINE, [record_id, reason, now]);
        return verdict;
      }),

    release: (record_id) =>
      sql.atomically(async (own) => {
        const [record] = await own.rows<{ lifecycle_state: LifecycleState; graded: boolean }>(LOCK, [record_id]);
        if (!record) return null;
        if (!canMove(record.lifecycle_state, 'release')) {
          return { changed: false, lifecycle_state: record.lifecycle_state };
        }
        const lifecycle_state = releasedState(record.graded);
        await own.rows(RELEASE, [record_id, lifecycle_state]);
        return { changed: true, lifecycle_state };
      }),
  };
}

const LOCK = `
  select lifecycle_state, due_at, evaluated_at is not null as graded from app.decisions
  where record_id = $1 for no key update`;

const QUARANTINE = `
  update app.decisions
  set lifecycle_state = 'quarantined', due_at = null, eval_token = null, quarantined_at = $3, quarantine_reason = $2
  where record_id = $1`;

const RELEASE = `
  update app.decisions set lifecycle_state = $2, quarantined_at = null, quarantine_reason = null, last_error = null,
    attempts = case when $2 = 'evaluated' then attempts else 0 end
  where record_id = $1`;

export function postgresQuarantined(sql: Sql): QuarantinedRecords {
  return {
    list: ({ owner_id = null }, before, limit) =>
      sql.rows<QuarantinedRecord>(LIST, [
        ...[before?.submission_time ?? null, before?.record_id ?? null],
        ...[owner_id, limit],
      ]),
  };
}

export function postgresVerification(sql: Sql): VerificationStore {
  return {
    awaitingVerification: (now, limit) => sql.rows<Instrument>(AWAITING, [now, limit]),
    settleVerification: (instrument, verdict, reason) =>
      settle(sql, verdict === 'verified' ? 'verify' : 'reject', [instrumentKey(instrument), verdict, reason ?? null]),
    awaitingRetry: (now, limit) => sql.rows<Instrument>(AWAITING_RETRY, [now, limit]),
    waitingRetroactive: (instrument, after, limit) =>
      sql.rows<WaitingRecord>(WAITING_RETROACTIVE, [instrumentKey(instrument), after ?? '', limit]),
    verifyRecords: async (record_ids) => (await sql.rows(VERIFY_RECORDS, [record_ids])).length,
    endWaits: (instrument, reason, now) => endWaits(sql, instrument, reason, now),
    revive: (instrument, now) => revive(sql, instrument, now),
  };
}

async function settle(sql: Sql, move: 'verify' | 'reject', values: readonly unknown[]): Promise<number> {
  const rows = await sql.rows(
    `update app.decisions
     set lifecycle_state = $2, due_at = case when $2 = 'verified' then settles_at end, last_error = $3
     where instrument = $1 and ${stateBefore(move)} returning 1`,
    values,
  );
  return rows.length;
}

async function endWaits(sql: Sql, instrument: Instrument, reason: string, now: Date): Promise<number> {
  const begun = new Date(now.getTime() - VERIFICATION.patience);
  return (await sql.rows(END_WAITS, [instrumentKey(instrument), begun, reason])).length;
}

async function revive(sql: Sql, instrument: Instrument, now: Date): Promise<Revived> {
  const [row] = await sql.rows<Revived>(REVIVE, [instrumentKey(instrument), now]);
  return row ?? { rejected: 0, data_unavailable: 0 };
}

/** A condition on the state of a row of app.decisions: one that the move may take records out of. */
export function stateBefore(by: Move, to?: LifecycleState): string {
  return stateIn(statesBefore(by, to));
}

/** A condition on the state of a row of app.decisions: one of these. Literals, so that partial indexes are used. */
export function stateIn(states: readonly LifecycleState[]): string {
  return `lifecycle_state in (${states.map((state) => `'${state}'`).join(', ')})`;
}
