import { EntitySchema } from 'typeorm';
import type { FactorReset, Totp } from '../../../domain/accounts/factors/factor.ts';
import type { Passkey, PasskeyChallenge } from '../../../domain/accounts/factors/passkey.ts';
import { INSTANT } from './columns.ts';

export const TOTP_SECRETS = new EntitySchema<Totp>({
  name: 'totp_secret',
  tableName: 'totp_secrets',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    secret: { type: 'bytea', nullable: true },
    confirmed_at: { ...INSTANT, nullable: true },
    last_step: { type: 'integer' },
    pending: { type: 'bytea', nullable: true },
    pending_at: { ...INSTANT, nullable: true },
  },
});

interface RecoveryCodeRow {
  readonly owner_id: string;
  readonly code_hash: Uint8Array;
  readonly created_at: Date;
}

export const RECOVERY_CODES = new EntitySchema<RecoveryCodeRow>({
  name: 'recovery_code',
  tableName: 'recovery_codes',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    code_hash: { type: 'bytea', primary: true },
    created_at: INSTANT,
  },
});

export const FACTOR_RESETS = new EntitySchema<FactorReset>({
  name: 'factor_reset',
  tableName: 'factor_resets',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    evidence: { type: 'text' },
    actor: { type: 'text' },
    requested_at: INSTANT,
    due_at: INSTANT,
  },
});

export const PASSKEYS = new EntitySchema<Passkey>({
  name: 'passkey',
  tableName: 'passkeys',
  schema: 'app',
  columns: {
    passkey_id: { type: 'uuid', primary: true },
    owner_id: { type: 'uuid' },
    credential_id: { type: 'text', unique: true },
    public_key: { type: 'bytea' },
    // 32 bits without a sign, which a number holds.
    counter: { type: 'bigint', transformer: { to: (counter) => counter, from: Number } },
    name: { type: 'text' },
    synced: { type: 'boolean' },
    created_at: INSTANT,
    last_used_at: { ...INSTANT, nullable: true },
  },
});

export const PASSKEY_CHALLENGES = new EntitySchema<PasskeyChallenge>({
  name: 'passkey_challenge',
  tableName: 'passkey_challenges',
  schema: 'app',
  columns: {
    challenge_hash: { type: 'bytea', primary: true },
    bound_to: { type: 'bytea' },
    purpose: { type: 'text' },
    created_at: INSTANT,
  },
});
