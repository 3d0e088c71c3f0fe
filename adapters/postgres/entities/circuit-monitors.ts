import { EntitySchema } from 'typeorm';
import type { Circuit, Runs } from '../../../domain/circuits/circuit.ts';
import { INSTANT } from './columns.ts';

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
