import { EntitySchema } from 'typeorm';
import type { Publication } from '../../../domain/workflows/snapshot.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

export interface PublicationRow extends Publication {
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
