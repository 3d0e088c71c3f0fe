import { EntitySchema } from 'typeorm';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { Refresh } from '../../../domain/market/instrument-store.ts';
import { INSTANT } from './columns.ts';

export interface RefreshRow extends Instrument, Omit<Refresh, 'instrument'> {
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
