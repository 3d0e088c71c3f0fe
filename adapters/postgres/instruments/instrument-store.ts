import { In, LessThan, type QueryDeepPartialEntity } from 'typeorm';
import { SOURCE_REPORTS } from '../../../domain/limits.ts';
import { type Instrument, identityOf, instrumentKey } from '../../../domain/market/instrument.ts';
import type {
  InstrumentList,
  InstrumentRecord,
  InstrumentStore,
  ListedInstrument,
  Refresh,
} from '../../../domain/market/instrument-store.ts';
import type { ProcessReport, SourceHealthStore } from '../../../domain/market/source-health.ts';
import { INSTRUMENT_REFRESHES, INSTRUMENTS, type InstrumentRow } from '../entities/instruments.ts';
import { SOURCE_HEALTH } from '../entities/processes.ts';
import type { Sql } from '../kit/sql.ts';

/** A source that is named twice keeps its first report. */
const KEY = ['process', 'source'];

/** SQL by hand: a full join. The tables have a row for each instrument that was ever named. */
const LIST = `
  select instrument as key, market, symbol, venue, asset_class, quote_currency, i.status, i.checked_at, i.retry_at,
    coalesce(i.attempts, 0) as attempts, i.last_error, r.job_id, r.requested_at
  from app.instruments i
  full join app.instrument_refreshes r using (instrument, market, symbol, venue, asset_class, quote_currency)
  where ($1::text is null or case $1 when 'queued' then r.job_id is not null else i.status = $1 end)
    and ($2::text is null or symbol = $2) and ($3::text is null or instrument collate "C" > $3)
  order by instrument collate "C" limit $4`;

export function postgresInstruments(sql: Sql): InstrumentStore {
  return {
    async find(instruments) {
      const keys = instruments.map(instrumentKey);
      return (await sql.tables.findBy(INSTRUMENTS, { instrument: In(keys) })).map(recordOf);
    },
    async put({ instrument, ...known }) {
      const identity = { instrument: instrumentKey(instrument), ...identityOf(instrument) };
      const history_from = known.listing && new Date(known.listing.history_from);
      const row = { ...identity, ...known, history_from } as QueryDeepPartialEntity<InstrumentRow>;
      const adding = sql.tables.createQueryBuilder().insert().into(INSTRUMENTS).values(row);
      await adding.orUpdate(KNOWN, ['instrument']).execute();
    },
    requestRefresh: (refresh, now) => requestRefresh(sql, refresh, now),
    async refreshesDue(now, limit) {
      const rows = await sql.tables
        .createQueryBuilder(INSTRUMENT_REFRESHES, 'r')
        .leftJoin(INSTRUMENTS.options.name, 'i', 'i.instrument = r.instrument')
        .where('i.retry_at is null or i.retry_at <= :now', { now })
        .orderBy('r.requested_at', 'ASC')
        .limit(limit)
        .getMany();
      return rows.map((row) => ({ instrument: identityOf(row), job_id: row.job_id }));
    },
    async endRefresh(job_id) {
      await sql.tables.delete(INSTRUMENT_REFRESHES, { job_id });
    },
  };
}

/** First the registry's row, as everywhere, so that two transactions about one instrument never wait for each other. */
function requestRefresh(sql: Sql, { instrument, job_id }: Refresh, now: Date): Promise<string> {
  const key = instrumentKey(instrument);
  return sql.atomically(async (own) => {
    await own.tables.update(INSTRUMENTS, { instrument: key }, UNKNOWN);
    const { market, symbol, venue, asset_class, quote_currency } = instrument;
    const values = [key, job_id, market, symbol, venue, asset_class, quote_currency, now];
    const [queued] = await own.rows<Pick<Refresh, 'job_id'>>(REQUEST_REFRESH, values);
    if (!queued) throw new Error('app.instrument_refreshes: the insert returned no row.');
    return queued.job_id;
  });
}

function recordOf(row: InstrumentRow): InstrumentRecord {
  const { status, listing, checked_at, retry_at, attempts, last_error } = row;
  return { instrument: identityOf(row), status, listing, checked_at, retry_at, attempts, last_error };
}

/** The columns that a verification replaces. */
const KNOWN = ['status', 'listing', 'history_from', 'checked_at', 'retry_at', 'attempts', 'last_error'];

/** As before the first verification. */
const UNKNOWN = { listing: null, history_from: null, retry_at: null, attempts: 0 };

/**
 * SQL by hand: one statement decides a race. The update keeps the queued refresh and notes the newest request; with it
 * the statement returns the row that is there, and waits for one that is about to go.
 */
const REQUEST_REFRESH = `
  insert into app.instrument_refreshes as queued
    (instrument, job_id, market, symbol, venue, asset_class, quote_currency, requested_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (instrument) do update set requested_at = greatest(queued.requested_at, excluded.requested_at)
  returning job_id`;

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

export function postgresSourceHealth(sql: Sql): SourceHealthStore {
  return {
    record: (process, reports, now) =>
      sql.atomically(async (own) => {
        const expired = new Date(now.getTime() - SOURCE_REPORTS.keep);
        await own.tables.delete(SOURCE_HEALTH, [{ process }, { reported_at: LessThan(expired) }]);
        const rows = reports.map((report) => ({ ...report, process, reported_at: now }));
        await own.tables.createQueryBuilder().insert().into(SOURCE_HEALTH).values(rows).orUpdate([], KEY).execute();
      }),
    reportsSince: (since): Promise<ProcessReport[]> =>
      sql.tables
        .createQueryBuilder(SOURCE_HEALTH, 'h')
        .where('h.reported_at >= :since', { since })
        .orderBy({ 'h.source collate "C"': 'ASC', 'h.process collate "C"': 'ASC' })
        .getMany(),
  };
}
