import { EntitySchema } from 'typeorm';
import type { Agent, Owner } from '../../../domain/accounts/owner.ts';

/** What TypeORM knows of the tables that are read and filled plainly; the migrations alone make and change them. */
export type OwnerRow = Owner & { readonly email_folded: string | null };

export const OWNERS = new EntitySchema<OwnerRow>({
  name: 'owner',
  tableName: 'owners',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    email: { type: 'text', nullable: true },
    email_folded: { type: 'text', nullable: true, select: false },
    password_hash: { type: 'text', nullable: true },
    role: { type: 'text' },
    tier: { type: 'text' },
    created_at: { type: 'timestamptz', precision: 3 },
  },
});

export const AGENTS = new EntitySchema<Agent>({
  name: 'agent',
  tableName: 'agents',
  schema: 'app',
  columns: {
    agent_id: { type: 'text', primary: true },
    owner_id: { type: 'uuid' },
    name: { type: 'text' },
    created_at: { type: 'timestamptz', precision: 3 },
  },
});

export const TABLES = [OWNERS, AGENTS] as const;
