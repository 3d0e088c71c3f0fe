import { EntitySchema } from 'typeorm';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { InstrumentRecord, Refresh } from '../../../domain/market/instrument-store.ts';
import type { StoredSymbolFile } from '../../../domain/market/symbol-directory.ts';
import { INSTANT } from './columns.ts';

export interface InstrumentRow extends Instrument, Omit<InstrumentRecord, 'instrument'> {
  /** The five fields of its identity as one text (`instrumentKey`). */
  readonly instrument: string;
  /** As in the listing. */
  readonly history_from: Date | null;
}

export const INSTRUMENTS = new EntitySchema<InstrumentRow>({
  name: 'instrument',
  tableName: 'instruments',
  schema: 'app',
  columns: {
    instrument: { type: 'text', primary: true },
    market: { type: 'text' },
    symbol: { type: 'text' },
    venue: { type: 'text' },
    asset_class: { type: 'text' },
    quote_currency: { type: 'text' },
    status: { type: 'text' },
    listing: { type: 'jsonb', nullable: true },
    history_from: { ...INSTANT, nullable: true, select: false },
    checked_at: INSTANT,
    retry_at: { ...INSTANT, nullable: true },
    attempts: { type: 'integer' },
    last_error: { type: 'text', nullable: true },
  },
});

interface RefreshRow extends Instrument, Omit<Refresh, 'instrument'> {
  /** The five fields of its identity as one text (`instrumentKey`). */
  readonly instrument: string;
  readonly requested_at: Date;
}

export const INSTRUMENT_REFRESHES = new EntitySchema<RefreshRow>({
  name: 'instrument_refresh',
  tableName: 'instrument_refreshes',
  schema: 'app',
  columns: {
    instrument: { type: 'text', primary: true },
    job_id: { type: 'uuid', unique: true },
    market: { type: 'text' },
    symbol: { type: 'text' },
    venue: { type: 'text' },
    asset_class: { type: 'text' },
    quote_currency: { type: 'text' },
    requested_at: INSTANT,
  },
});

export const SYMBOL_FILES = new EntitySchema<StoredSymbolFile>({
  name: 'symbol_file',
  tableName: 'symbol_files',
  schema: 'app',
  columns: {
    name: { type: 'text', primary: true },
    created_at: INSTANT,
    symbols: { type: 'integer' },
    stored_at: INSTANT,
  },
});
