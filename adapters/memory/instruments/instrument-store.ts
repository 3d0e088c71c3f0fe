import { SOURCE_REPORTS } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type {
  InstrumentList,
  InstrumentRecord,
  InstrumentStore,
  ListedInstrument,
  Refresh,
} from '../../../domain/market/instrument-store.ts';
import type { ProcessReport, SourceHealthStore } from '../../../domain/market/source-health.ts';
import type { StoredSymbolFile, SymbolStore } from '../../../domain/market/symbol-directory.ts';
import type { Table } from '../kit/table.ts';

export interface InstrumentTables {
  /** By instrumentKey. */
  readonly instruments: Table<string, InstrumentRecord>;
  /** By instrumentKey. */
  readonly refreshes: Table<string, Refresh & { readonly requested_at: Date }>;
}

export function memoryInstruments({ instruments, refreshes }: InstrumentTables): InstrumentStore {
  return {
    async find(wanted) {
      const keys = new Set(wanted.map(instrumentKey));
      return [...keys].flatMap((key) => instruments.get(key) ?? []);
    },

    async put(record) {
      instruments.set(instrumentKey(record.instrument), { ...record });
    },

    async requestRefresh(refresh, now) {
      const key = instrumentKey(refresh.instrument);
      const known = instruments.get(key);
      if (known) instruments.set(key, { ...known, listing: null, retry_at: null, attempts: 0 });
      const queued = refreshes.get(key) ?? { ...refresh, requested_at: now };
      const newest = Math.max(queued.requested_at.getTime(), now.getTime());
      refreshes.set(key, { ...queued, requested_at: new Date(newest) });
      return queued.job_id;
    },

    async refreshesDue(now, limit) {
      const waits = ({ instrument }: Refresh) => {
        const retry_at = instruments.get(instrumentKey(instrument))?.retry_at ?? null;
        return retry_at !== null && retry_at > now;
      };
      return refreshes
        .where((refresh) => !waits(refresh))
        .toSorted((a, b) => a.requested_at.getTime() - b.requested_at.getTime())
        .slice(0, limit)
        .map(({ instrument, job_id }) => ({ instrument, job_id }));
    },

    async endRefresh(job_id) {
      refreshes.deleteWhere((refresh) => refresh.job_id === job_id);
    },
  };
}

export function memoryInstrumentList({ instruments, refreshes }: InstrumentTables): InstrumentList {
  const listed = (): readonly ListedInstrument[] => {
    const named = [...instruments.where(() => true), ...refreshes.where(() => true)];
    const byKey = new Map(named.map(({ instrument }) => [instrumentKey(instrument), instrument]));
    return [...byKey].map(([key, instrument]) => {
      const {
        status = null,
        checked_at = null,
        retry_at = null,
        attempts = 0,
        last_error = null,
      } = instruments.get(key) ?? {};
      const queued = refreshes.get(key);
      const refresh = queued ? { job_id: queued.job_id, requested_at: queued.requested_at } : null;
      return { key, instrument, status, checked_at, retry_at, attempts, last_error, refresh };
    });
  };
  return {
    list: async ({ status, symbol }, after, limit) =>
      listed()
        .filter(
          (each) => status === undefined || (status === 'queued' ? each.refresh !== null : each.status === status),
        )
        .filter(({ instrument }) => symbol === undefined || instrument.symbol === symbol)
        .filter(({ key }) => after === null || key > after)
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit),
    stockVenues: async () => {
      const stocks = instruments.where(({ instrument }) => instrument.market === 'stock');
      return [...new Set(stocks.map(({ instrument }) => instrument.venue))];
    },
  };
}

export interface SourceHealthTables {
  /** By process and source. */
  readonly sourceReports: Table<string, ProcessReport>;
}

export function memorySourceHealth({ sourceReports }: SourceHealthTables): SourceHealthStore {
  return {
    async record(process, reports, now) {
      const old = now.getTime() - SOURCE_REPORTS.keep;
      sourceReports.deleteWhere((report) => report.process === process || report.reported_at.getTime() < old);
      for (const report of reports)
        sourceReports.set(keyOf(report.source, process), { ...report, process, reported_at: now });
    },
    reportsSince: async (since) =>
      sourceReports
        .where(({ reported_at }) => reported_at >= since)
        .toSorted((a, b) => (keyOf(a.source, a.process) < keyOf(b.source, b.process) ? -1 : 1)),
  };
}

function keyOf(source: string, process: string): string {
  return `${source} ${process}`;
}

export interface SymbolTables {
  readonly symbols: Table<string, { readonly symbol: string; readonly delisted_at: Date | null }>;
  /** By name. */
  readonly symbolFiles: Table<string, StoredSymbolFile>;
}

export function memorySymbols({ symbols, symbolFiles }: SymbolTables): SymbolStore {
  return {
    files: async () => symbolFiles.where(() => true),

    async replace(files, now) {
      const listed = new Set(files.flatMap((file) => file.symbols));
      for (const { name, created_at, symbols: own } of files) {
        symbolFiles.set(name, { name, created_at, symbols: own.length, stored_at: now });
      }
      for (const { symbol } of symbols.where(
        ({ symbol, delisted_at }) => delisted_at === null && !listed.has(symbol),
      )) {
        symbols.set(symbol, { symbol, delisted_at: now });
      }
      for (const symbol of listed) symbols.set(symbol, { symbol, delisted_at: null });
    },

    async changedAt() {
      const times = symbolFiles.where(() => true).map(({ stored_at }) => stored_at.getTime());
      return times.length === 0 ? null : new Date(Math.max(...times));
    },

    async all() {
      const rows = symbols.where(() => true);
      return {
        listed: rows.flatMap(({ symbol, delisted_at }) => (delisted_at === null ? [symbol] : [])),
        delisted: rows.flatMap(({ symbol, delisted_at }) => (delisted_at === null ? [] : [{ symbol, delisted_at }])),
      };
    },
  };
}
