import { EntitySchema } from 'typeorm';
import type { Publication, Snapshot } from '../../../domain/workflows/snapshot.ts';
import type { Workflow } from '../../../domain/workflows/workflow.ts';
import { COMPUTED, INSTANT, SEQUENCE } from './columns.ts';

export interface WorkflowRow extends Workflow {
  readonly name_folded: string;
  readonly forked_from: string | null;
  /** The newest publication for everybody. */
  readonly listed_seq: string | null;
}

/** SQL for the hash of the newest publication of a row of `app.workflows`. */
export const publishedHash = (workflow: string) =>
  `select p.hash from app.workflow_publications p where p.workflow_id = ${workflow}.id order by p.seq desc limit 1`;

export const WORKFLOWS = new EntitySchema<WorkflowRow>({
  name: 'workflow',
  tableName: 'workflows',
  schema: 'app',
  columns: {
    id: { type: 'uuid', primary: true },
    owner_id: { type: 'uuid' },
    name: { type: 'text' },
    name_folded: { type: 'text', select: false },
    description: { type: 'text' },
    tags: { type: 'text', array: true },
    visibility: { type: 'text' },
    nodes: { type: 'json' },
    edges: { type: 'json' },
    version: { type: 'integer' },
    forked_from: { type: 'uuid', nullable: true, select: false },
    listed_seq: { type: 'bigint', nullable: true, select: false },
    created_at: INSTANT,
    updated_at: INSTANT,
    published_hash: { type: 'text', virtualProperty: true, query: publishedHash },
  },
});

interface PublicationRow extends Publication {
  readonly seq: string;
  readonly workflow_id: string;
  readonly owner_id: string;
}

export const WORKFLOW_PUBLICATIONS = new EntitySchema<PublicationRow>({
  name: 'workflow_publication',
  tableName: 'workflow_publications',
  schema: 'app',
  columns: {
    seq: SEQUENCE,
    hash: { type: 'text' },
    workflow_id: { type: 'uuid' },
    owner_id: { type: 'uuid' },
    visibility: { type: 'text' },
    at: INSTANT,
  },
});

interface SnapshotRow extends Snapshot {
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
