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
import type {
  DelistedSymbol,
  StoredSymbolFile,
  SymbolFile,
  SymbolStore,
} from '../../../domain/market/symbol-directory.ts';
import { INSTRUMENT_REFRESHES, INSTRUMENTS, type InstrumentRow, SYMBOL_FILES } from '../entities/instruments.ts';
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
    async stockVenues() {
      const rows = await sql.rows<Pick<Instrument, 'venue'>>(
        `select distinct venue from app.instruments where market = 'stock'`,
        [],
      );
      return rows.map(({ venue }) => venue);
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

export function postgresSymbols(sql: Sql): SymbolStore {
  return {
    files: () => sql.rows<StoredSymbolFile>(FILES),
    replace: (files, now) => replace(sql, files, now),
    async changedAt() {
      const [newest] = await sql.tables.find(SYMBOL_FILES, { order: { stored_at: 'desc' }, take: 1 });
      return newest?.stored_at ?? null;
    },
    async all() {
      const rows = await sql.rows<SymbolRow>('select symbol, delisted_at from app.symbols');
      const listed = rows.flatMap(({ symbol, delisted_at }) => (delisted_at === null ? [symbol] : []));
      return { listed, delisted: rows.filter(hasLeft) };
    },
  };
}

/** The rows of the files first and in one order: of two that replace at once, the second waits for the first. */
async function replace(sql: Sql, files: readonly SymbolFile[], now: Date): Promise<void> {
  const listed = [...new Set(files.flatMap(({ symbols }) => symbols))].sort();
  const rows = files.map(({ name, created_at, symbols }) => ({ name, created_at, symbols: symbols.length }));
  await sql.atomically(async (own) => {
    await own.rows(PUT_FILES, [JSON.stringify(rows), now]);
    await own.rows(DELIST, [listed, now]);
    await own.rows(ADD_LISTED, [listed, now]);
  });
}

/** SQL by hand: a lock. */
const FILES = 'select name, created_at, symbols, stored_at from app.symbol_files order by name for update';

/** SQL by hand, as the next two: a batch of all symbols there are. */
const PUT_FILES = `
  insert into app.symbol_files (name, created_at, symbols, stored_at)
  select name, created_at, symbols, $2
  from jsonb_to_recordset($1::jsonb) as f(name text, created_at timestamptz, symbols int) order by name
  on conflict (name) do update set created_at = excluded.created_at, symbols = excluded.symbols,
    stored_at = excluded.stored_at`;

const DELIST = `
  update app.symbols s set delisted_at = $2
  where delisted_at is null and not exists (select from unnest($1::text[]) as listed where listed = s.symbol)`;

const ADD_LISTED = `
  insert into app.symbols as s (symbol, listed_since) select listed, $2 from unnest($1::text[]) as listed
  on conflict (symbol) do update set listed_since = excluded.listed_since, delisted_at = null
  where s.delisted_at is not null`;

interface SymbolRow {
  readonly symbol: string;
  readonly delisted_at: Date | null;
}

function hasLeft(row: SymbolRow): row is DelistedSymbol {
  return row.delisted_at !== null;
}
