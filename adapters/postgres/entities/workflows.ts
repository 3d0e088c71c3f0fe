import { EntitySchema } from 'typeorm';
import type { Workflow } from '../../../domain/workflows/workflow.ts';
import { INSTANT } from './columns.ts';

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
