import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { InstrumentRecord, InstrumentStore } from '../../domain/market/instrument-store.ts';
import type { Sql } from './sql.ts';

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
  };
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
