import { EntitySchema } from 'typeorm';
import type { Circuit, CircuitSnapshot, Runs } from '../../../domain/circuits/circuit.ts';
import type { Coin } from '../../../domain/circuits/coin.ts';
import type { Peg, PegQuote } from '../../../domain/circuits/peg.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

export interface MonitorRow extends Pick<Circuit, 'coin' | 'looked_at'>, Runs {}

export const CIRCUIT_MONITORS = new EntitySchema<MonitorRow>({
  name: 'circuit_monitor',
  tableName: 'circuit_monitors',
  schema: 'app',
  columns: {
    coin: { type: 'text', primary: true },
    looked_at: { ...INSTANT, nullable: true },
    below_since: { ...INSTANT, nullable: true },
    above_since: { ...INSTANT, nullable: true },
    trip_since: { ...INSTANT, nullable: true },
    at_once: { type: 'integer' },
  },
});

interface CircuitSnapshotRow extends CircuitSnapshot {
  readonly seq: string;
}

export const CIRCUIT_SNAPSHOTS = new EntitySchema<CircuitSnapshotRow>({
  name: 'circuit_snapshot',
  tableName: 'circuit_snapshots',
  schema: 'app',
  columns: {
    seq: SEQUENCE,
    id: { type: 'uuid', unique: true },
    coin: { type: 'text' },
    from: { name: 'from_state', type: 'text' },
    to: { name: 'state', type: 'text' },
    cause: { type: 'text' },
    actor: { type: 'text' },
    reason: { type: 'text', nullable: true },
    justification: { type: 'text', nullable: true },
    evidence_urls: { type: 'text', array: true, nullable: true },
    at: INSTANT,
  },
});

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
