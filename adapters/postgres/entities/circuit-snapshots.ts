import { EntitySchema } from 'typeorm';
import type { CircuitSnapshot } from '../../../domain/circuits/circuit.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

export interface CircuitSnapshotRow extends CircuitSnapshot {
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
