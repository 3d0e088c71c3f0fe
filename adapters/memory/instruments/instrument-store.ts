import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { InstrumentRecord, InstrumentStore, Refresh } from '../../../domain/market/instrument-store.ts';
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
