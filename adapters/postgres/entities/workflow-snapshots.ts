import { EntitySchema } from 'typeorm';
import type { Snapshot } from '../../../domain/workflows/snapshot.ts';
import { COMPUTED } from './columns.ts';

export interface SnapshotRow extends Snapshot {
  readonly name_folded: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly node_count: number;
}

export const WORKFLOW_SNAPSHOTS = new EntitySchema<SnapshotRow>({
  name: 'workflow_snapshot',
  tableName: 'workflow_snapshots',
  schema: 'app',
  columns: {
    hash: { type: 'text', primary: true },
    content: { type: 'text' },
    name_folded: { type: 'text', select: false },
    name: { type: 'text', select: false, ...COMPUTED },
    description: { type: 'text', select: false, ...COMPUTED },
    tags: { type: 'jsonb', select: false, ...COMPUTED },
    node_count: { type: 'integer', select: false, ...COMPUTED },
  },
});
