import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { InstrumentRecord, InstrumentStore } from '../../domain/market/instrument-store.ts';
import type { Sql } from './sql.ts';

export function postgresInstruments(sql: Sql): InstrumentStore {
  return {
    async find(instruments) {
      const rows = await sql.rows<InstrumentRow>(FIND, [instruments.map(instrumentKey)]);
      return rows.map(({ market, symbol, venue, asset_class, quote_currency, ...known }) => ({
        instrument: { market, symbol, venue, asset_class, quote_currency },
        ...known,
      }));
    },

    async put({ instrument, status, listing, checked_at, retry_at, attempts, last_error }) {
      const { market, symbol, venue, asset_class, quote_currency } = instrument;
      const identity = [instrumentKey(instrument), market, symbol, venue, asset_class, quote_currency];
      const historyFrom = listing && new Date(listing.history_from);
      const known = [listing && JSON.stringify(listing), historyFrom, checked_at, retry_at, attempts, last_error];
      await sql.rows(PUT, [...identity, status, ...known]);
    },
  };
}

type InstrumentRow = Instrument & Omit<InstrumentRecord, 'instrument'>;

const FIND = `
  select market, symbol, venue, asset_class, quote_currency, status, listing, checked_at, retry_at, attempts, last_error
  from app.instruments where instrument = any($1)`;

const PUT = `
  insert into app.instruments (instrument, market, symbol, venue, asset_class, quote_currency, status, listing,
    history_from, checked_at, retry_at, attempts, last_error)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  on conflict (instrument) do update set status = excluded.status, listing = excluded.listing,
    history_from = excluded.history_from, checked_at = excluded.checked_at, retry_at = excluded.retry_at,
    attempts = excluded.attempts, last_error = excluded.last_error`;
