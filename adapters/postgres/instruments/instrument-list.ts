import { type Instrument, identityOf } from '../../../domain/market/instrument.ts';
import type { InstrumentList, ListedInstrument } from '../../../domain/market/instrument-list.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresInstrumentList(sql: Sql): InstrumentList {
  return {
    async list({ status = null, symbol = null }, after, limit) {
      const rows = await sql.rows<ListRow>(LIST, [status, symbol, after, limit]);
      return rows.map((row) => {
        const { key, status: known, checked_at, retry_at, attempts, last_error, job_id, requested_at } = row;
        const refresh = job_id === null || requested_at === null ? null : { job_id, requested_at };
        return { key, instrument: identityOf(row), status: known, checked_at, retry_at, attempts, last_error, refresh };
      });
    },
  };
}

type ListRow = Instrument &
  Omit<ListedInstrument, 'instrument' | 'refresh'> & {
    readonly job_id: string | null;
    readonly requested_at: Date | null;
  };

/** SQL by hand: a full join. The tables have a row for each instrument that was ever named. */
const LIST = `
  select instrument as key, market, symbol, venue, asset_class, quote_currency, i.status, i.checked_at, i.retry_at,
    coalesce(i.attempts, 0) as attempts, i.last_error, r.job_id, r.requested_at
  from app.instruments i
  full join app.instrument_refreshes r using (instrument, market, symbol, venue, asset_class, quote_currency)
  where ($1::text is null or case $1 when 'queued' then r.job_id is not null else i.status = $1 end)
    and ($2::text is null or symbol = $2) and ($3::text is null or instrument collate "C" > $3)
  order by instrument collate "C" limit $4`;
