import { randomBytes } from 'node:crypto';
import { hashOfKey } from '../../application/accounts/keys/issue-key.ts';
import type { RequestClient } from '../../application/accounts/sign-in/register-owner.ts';
import type { Passkey } from '../../domain/accounts/factors/passkey.ts';
import { type ApiKey, makeApiKey, UNBOUNDED } from '../../domain/accounts/keys/api-key.ts';
import type { Agent, Owner } from '../../domain/accounts/owner.ts';
import { type DeviceSignIn, newDeviceSignIn } from '../../domain/accounts/provider/device-sign-in.ts';
import type { Identity } from '../../domain/accounts/provider/identity-provider.ts';
import type { ActionSource } from '../../domain/accounts/security-event.ts';
import type { Session } from '../../domain/accounts/sign-in/session.ts';
import { agentId, uuidV7 } from '../../domain/identifiers.ts';
import { CONTRACT_LIMITS } from '../../domain/limits.ts';
import { MINUTE, SECOND } from '../../domain/time.ts';

const CREATED_AT = new Date('2026-01-30T14:30:00.123Z');
/** Before every clock of a test: a record is never older than its agent. */
const AGENTS_CREATED_AT = new Date('2001-01-30T14:30:00.123Z');

/** The source of an action that a test is not about. */
export const A_SOURCE: ActionSource = { request_id: 'request-1', network: 'ab12', client: 'curl' };

/** A client that a test is not about. */
export const A_CLIENT: RequestClient = { network: '192.0.2.1', source: A_SOURCE };

/** The settings that opening an account needs; no test opens as many accounts as they admit. */
export const ACCOUNT_SETTINGS = {
  settings: {
    limits: { ...CONTRACT_LIMITS, accountsPerAddress: 1_000 },
    sessionSecret: 's'.repeat(32),
    ownerFactorRequired: false,
  },
} as const;

export function anOwner(changes: Partial<Owner> = {}): Owner {
  const owner_id = uuidV7(CREATED_AT, randomBytes(10));
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const rest = {
    password_hash: 'hash',
    role: 'owner',
    tier: 'free',
    created_at: CREATED_AT,
    suspended_at: null,
    email_confirmed_at: null,
    erases_at: null,
  } as const;
  return { owner_id, email, ...rest, ...changes };
}

export function anIdentityOf({ owner_id }: Pick<Owner, 'owner_id'>): Identity {
  return { issuer: 'https://provider.example', subject: owner_id };
}

export function anAgentOf({ owner_id }: Owner, changes: Partial<Agent> = {}): Agent {
  const terms = { name: 'Scout', created_at: AGENTS_CREATED_AT, archived_at: null };
  return { agent_id: agentId(randomBytes(6)), owner_id, ...terms, ...changes };
}

export function aKeyOf({ owner_id }: Pick<Owner, 'owner_id'>, changes: Partial<ApiKey> = {}): ApiKey {
  const { key, key_prefix } = makeApiKey(randomBytes);
  const key_hash = hashOfKey(key);
  const rest = { agent_id: null, permission_mode: 'read_write', label: null, created_at: CREATED_AT } as const;
  return { ...UNBOUNDED, key_prefix, key_hash, owner_id, ...rest, ...changes };
}

export function aSessionOf({ owner_id }: Pick<Owner, 'owner_id'>, changes: Partial<Session> = {}): Session {
  const created_at = changes.created_at ?? CREATED_AT;
  const origin = { network: null, client: null, provider_session: null, factor: null };
  return { session_hash: randomBytes(32), owner_id, created_at, authenticated_at: created_at, ...origin, ...changes };
}

export function aPasskeyOf({ owner_id }: Pick<Owner, 'owner_id'>, changes: Partial<Passkey> = {}): Passkey {
  const keys = { credential_id: randomBytes(32).toString('base64url'), public_key: randomBytes(77) };
  const rest = { counter: 1, name: 'Laptop', synced: false, created_at: CREATED_AT, last_used_at: null };
  return { passkey_id: uuidV7(CREATED_AT, randomBytes(10)), owner_id, ...keys, ...rest, ...changes };
}

/** A sign-in that starts now, with random codes. */
export function aDeviceSignIn(now: Date, changes: Partial<DeviceSignIn> = {}): DeviceSignIn {
  const codes = { code_hash: randomBytes(32), sealed_code: randomBytes(64) };
  return { ...newDeviceSignIn(codes, { interval: 5 * SECOND, expires_in: 10 * MINUTE }, now), ...changes };
}
