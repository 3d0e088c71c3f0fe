import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { InstrumentList, ListedInstrument } from '../../../domain/market/instrument-list.ts';
import type { InstrumentTables } from './instrument-store.ts';

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
  };
}
