import { EntitySchema } from 'typeorm';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../../domain/market/instrument-store.ts';
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
