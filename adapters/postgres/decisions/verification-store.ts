import type {
  Revived,
  VerificationStore,
  WaitingRecord,
} from '../../../domain/decisions/moderation/verification-store.ts';
import { VERIFICATION } from '../../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import type { Sql } from '../kit/sql.ts';
import { stateBefore } from './states.ts';

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

const AWAITING = `
  select distinct d.market, d.symbol, d.venue, d.asset_class, d.quote_currency
  from app.decisions d left join app.instruments i on i.instrument = d.instrument
  where d.${stateBefore('verify')} and (i.retry_at is null or i.retry_at <= $1)
  limit $2`;

async function settle(sql: Sql, move: 'verify' | 'reject', values: readonly unknown[]): Promise<number> {
  const rows = await sql.rows(
    `update app.decisions
     set lifecycle_state = $2, due_at = case when $2 = 'verified' then settles_at end, last_error = $3
     where instrument = $1 and ${stateBefore(move)} returning 1`,
    values,
  );
  return rows.length;
}

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

async function endWaits(sql: Sql, instrument: Instrument, reason: string, now: Date): Promise<number> {
  const begun = new Date(now.getTime() - VERIFICATION.patience);
  return (await sql.rows(END_WAITS, [instrumentKey(instrument), begun, reason])).length;
}

/** The condition is `verificationEndsAt`; `greatest` ignores the null of an instrument without a queued refresh. */
const END_WAITS = `
  update app.decisions d set lifecycle_state = 'rejected', last_error = $3
  where d.instrument = $1 and d.${stateBefore('expire')} and greatest(d.end_time, d.submission_time,
    (select r.requested_at from app.instrument_refreshes r where r.instrument = $1)) <= $2
  returning 1`;

async function revive(sql: Sql, instrument: Instrument, now: Date): Promise<Revived> {
  const [row] = await sql.rows<Revived>(REVIVE, [instrumentKey(instrument), now]);
  return row ?? { rejected: 0, data_unavailable: 0 };
}

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
