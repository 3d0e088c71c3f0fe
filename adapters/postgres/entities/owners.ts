import { EntitySchema } from 'typeorm';
import type { Agent, Owner } from '../../../domain/accounts/owner.ts';
import type { LegalAcceptance, Preferences } from '../../../domain/accounts/profile.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

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

export const AGENTS = new EntitySchema<Agent>({
  name: 'agent',
  tableName: 'agents',
  schema: 'app',
  columns: {
    agent_id: { type: 'text', primary: true },
    owner_id: { type: 'uuid' },
    name: { type: 'text' },
    created_at: INSTANT,
    archived_at: { ...INSTANT, nullable: true },
  },
});

export interface LegalAcceptanceRow extends LegalAcceptance {
  readonly seq: string;
  readonly owner_id: string;
}

export const LEGAL_ACCEPTANCES = new EntitySchema<LegalAcceptanceRow>({
  name: 'legal_acceptance',
  tableName: 'legal_acceptances',
  schema: 'app',
  columns: {
    seq: SEQUENCE,
    owner_id: { type: 'uuid' },
    accepted_at: INSTANT,
    terms_version: { type: 'text' },
    privacy_version: { type: 'text' },
    source: { type: 'text' },
  },
});
