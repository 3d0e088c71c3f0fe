import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import type { InstrumentRecord, InstrumentStore, Refresh } from '../../../domain/market/instrument-store.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresInstruments(sql: Sql): InstrumentStore {
  return {
    async find(instruments) {
      const rows = await sql.rows<InstrumentRow>(FIND, [instruments.map(instrumentKey)]);
      return rows.map(recordOf);
    },
    async put({ instrument, ...known }) {
      await sql.rows(PUT, [
        instrumentKey(instrument),
        JSON.stringify(instrument),
        known.status,
        known.listing && JSON.stringify(known.listing),
        known.listing && new Date(known.listing.history_from),
        known.checked_at,
        known.retry_at,
        known.attempts,
        known.last_error,
      ]);
    },
    requestRefresh: (refresh, now) => requestRefresh(sql, refresh, now),
    async refreshesDue(now, limit) {
      const rows = await sql.rows<Instrument & Pick<Refresh, 'job_id'>>(REFRESHES_DUE, [now, limit]);
      return rows.map(({ job_id, ...instrument }) => ({ instrument, job_id }));
    },
    async endRefresh(job_id) {
      await sql.rows('delete from app.instrument_refreshes where job_id = $1', [job_id]);
    },
  };
}

/** First the registry's row, as everywhere, so that two transactions about one instrument never wait for each other. */
function requestRefresh(sql: Sql, { instrument, job_id }: Refresh, now: Date): Promise<string> {
  const key = instrumentKey(instrument);
  return sql.atomically(async (own) => {
    await own.rows(FORGET, [key]);
    const { market, symbol, venue, asset_class, quote_currency } = instrument;
    const values = [key, job_id, market, symbol, venue, asset_class, quote_currency, now];
    const [queued] = await own.rows<Pick<Refresh, 'job_id'>>(REQUEST_REFRESH, values);
    if (!queued) throw new Error('A refresh was neither queued nor found');
    return queued.job_id;
  });
}

type InstrumentRow = Instrument & Omit<InstrumentRecord, 'instrument'>;

function recordOf({ market, symbol, venue, asset_class, quote_currency, ...known }: InstrumentRow): InstrumentRecord {
  return { instrument: { market, symbol, venue, asset_class, quote_currency }, ...known };
}

const FIND = `
  select market, symbol, venue, asset_class, quote_currency, status, listing, checked_at, retry_at, attempts, last_error
  from app.instruments where instrument = any($1)`;

const PUT = `
  insert into app.instruments (instrument, market, symbol, venue, asset_class, quote_currency, status, listing,
    history_from, checked_at, retry_at, attempts, last_error)
  select $1, i.market, i.symbol, i.venue, i.asset_class, i.quote_currency, $3, $4::jsonb, $5, $6, $7, $8, $9
  from jsonb_to_record($2::jsonb) as i(market text, symbol text, venue text, asset_class text, quote_currency text)
  on conflict (instrument) do update set status = excluded.status, listing = excluded.listing,
    history_from = excluded.history_from, checked_at = excluded.checked_at, retry_at = excluded.retry_at,
    attempts = excluded.attempts, last_error = excluded.last_error`;

const FORGET = `
  update app.instruments set listing = null, history_from = null, retry_at = null, attempts = 0 where instrument = $1`;

/** The update changes nothing: it has the statement return the row that is there, and wait for one that is about to go. */
const REQUEST_REFRESH = `
  insert into app.instrument_refreshes as queued
    (instrument, job_id, market, symbol, venue, asset_class, quote_currency, requested_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (instrument) do update set job_id = queued.job_id
  returning job_id`;

const REFRESHES_DUE = `
  select r.market, r.symbol, r.venue, r.asset_class, r.quote_currency, r.job_id
  from app.instrument_refreshes r left join app.instruments i on i.instrument = r.instrument
  where i.retry_at is null or i.retry_at <= $1
  order by r.requested_at limit $2`;
