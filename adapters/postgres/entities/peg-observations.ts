import { EntitySchema } from 'typeorm';
import type { Coin } from '../../../domain/circuits/coin.ts';
import type { Peg, PegQuote } from '../../../domain/circuits/peg.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

export interface PegObservationRow extends Omit<Peg, 'sources'> {
  readonly seq: string;
  readonly coin: Coin;
  /** Times are text when read, as in every JSON value. */
  readonly sources: readonly (Omit<PegQuote, 'at'> & { readonly at: string | Date })[];
}

export const PEG_OBSERVATIONS = new EntitySchema<PegObservationRow>({
  name: 'peg_observation',
  tableName: 'peg_observations',
  schema: 'app',
  columns: {
    seq: SEQUENCE,
    coin: { type: 'text' },
    price: { type: 'double precision' },
    drift_bps: { type: 'double precision' },
    sources: { type: 'jsonb' },
    observed_at: INSTANT,
  },
});
