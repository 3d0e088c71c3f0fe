import { EntitySchema } from 'typeorm';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { Preferences } from '../../../domain/accounts/profile.ts';
import { INSTANT } from './columns.ts';

export interface OwnerRow extends Owner {
  readonly email_folded: string | null;
  readonly preferences: Preferences;
}

export const OWNERS = new EntitySchema<OwnerRow>({
  name: 'owner',
  tableName: 'owners',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    email: { type: 'text', nullable: true },
    email_folded: { type: 'text', nullable: true, unique: true, select: false },
    password_hash: { type: 'text', nullable: true },
    role: { type: 'text' },
    tier: { type: 'text' },
    preferences: { type: 'jsonb', select: false },
    created_at: INSTANT,
    suspended_at: { ...INSTANT, nullable: true },
    email_confirmed_at: { ...INSTANT, nullable: true },
    erases_at: { ...INSTANT, nullable: true },
  },
});
