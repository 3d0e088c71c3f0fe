import { EntitySchema } from 'typeorm';
import type { Identity } from '../../../domain/accounts/provider/identity-provider.ts';
import { INSTANT } from './columns.ts';

export interface IdentityRow extends Identity {
  readonly owner_id: string;
  readonly created_at: Date;
}

export const IDENTITIES = new EntitySchema<IdentityRow>({
  name: 'identity',
  tableName: 'identities',
  schema: 'app',
  columns: {
    issuer: { type: 'text', primary: true },
    subject: { type: 'text', primary: true },
    owner_id: { type: 'uuid' },
    created_at: INSTANT,
  },
});
