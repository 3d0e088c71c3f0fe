import { EntitySchema } from 'typeorm';
import type { ApiKey, KeyInfo } from '../../../domain/accounts/keys/api-key.ts';
import type { Agent, Owner } from '../../../domain/accounts/owner.ts';
import type { LegalAcceptance, Preferences } from '../../../domain/accounts/profile.ts';
import type { ReadMark } from '../../../domain/events/digest.ts';
import { INSTANT, SEQUENCE } from './columns.ts';

export interface OwnerRow extends Owner {
  readonly email_folded: string | null;
  readonly preferences: Preferences;
  /** Times as JSON has them. */
  readonly events_read: (Omit<ReadMark, 'at'> & { readonly at: string }) | null;
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
    events_read: { type: 'jsonb', nullable: true, select: false },
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

export interface ApiKeyRow extends ApiKey, KeyInfo {
  /** The rate windows, which only admissions read and write. */
  readonly second_start: Date;
  readonly second_used: number;
  readonly minute_used: number;
  readonly admitted: number;
  /** Revoked by the suspension of the owner, which only commands of operators read and write. */
  readonly suspended: boolean;
  /** Its event `key.expiring` is written. */
  readonly expiry_noted: boolean;
}

export const API_KEYS = new EntitySchema<ApiKeyRow>({
  name: 'api_key',
  tableName: 'api_keys',
  schema: 'app',
  columns: {
    key_prefix: { type: 'text', primary: true },
    key_hash: { type: 'bytea', unique: true, select: false },
    owner_id: { type: 'uuid', select: false },
    agent_id: { type: 'text', nullable: true },
    permission_mode: { type: 'text' },
    label: { type: 'text', nullable: true },
    created_at: INSTANT,
    expires_at: { ...INSTANT, nullable: true },
    allowed_networks: { type: 'text', array: true, nullable: true },
    revoked_at: { ...INSTANT, nullable: true, default: null },
    second_start: { ...INSTANT, select: false, default: '-infinity' },
    second_used: { type: 'integer', select: false, default: 0 },
    minute_used: { type: 'integer', select: false, default: 0 },
    admitted: { type: 'integer', select: false, default: 0 },
    suspended: { type: 'boolean', select: false, default: false },
    expiry_noted: { type: 'boolean', select: false, default: false },
    last_used_at: {
      ...INSTANT,
      virtualProperty: true,
      query: (key) => `select u.last_used_at from app.api_key_uses u where u.key_prefix = ${key}.key_prefix`,
    },
    last_used_network: {
      type: 'text',
      nullable: true,
      virtualProperty: true,
      query: (key) => `select u.network from app.api_key_uses u where u.key_prefix = ${key}.key_prefix`,
    },
  },
  uniques: [{ columns: ['key_prefix', 'permission_mode', 'revoked_at'] }],
});
