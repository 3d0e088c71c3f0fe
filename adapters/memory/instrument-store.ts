import { instrumentKey } from '../../domain/market/instrument.ts';
import type { InstrumentRecord, InstrumentStore } from '../../domain/market/instrument-store.ts';
import type { Table } from './table.ts';

export interface InstrumentTables {
  /** By instrumentKey. */
  readonly instruments: Table<string, InstrumentRecord>;
}

export function memoryInstruments({ instruments }: InstrumentTables): InstrumentStore {
  return {
    async find(asked) {
      const keys = new Set(asked.map(instrumentKey));
      return [...keys].flatMap((key) => instruments.get(key) ?? []);
    },

    async put(record) {
      instruments.set(instrumentKey(record.instrument), { ...record });
    },
  };
}
