import { EntitySchema } from 'typeorm';
import type { DeviceSignIn } from '../../../domain/accounts/provider/device-sign-in.ts';
import type { Identity, ProviderLogin } from '../../../domain/accounts/provider/identity-provider.ts';
import type { LoginAttempt } from '../../../domain/accounts/sign-in/login-store.ts';
import type { UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import { INSTANT } from './columns.ts';

export const SESSIONS = new EntitySchema<UsedSession>({
  name: 'session',
  tableName: 'sessions',
  schema: 'app',
  columns: {
    session_hash: { type: 'bytea', primary: true },
    owner_id: { type: 'uuid' },
    created_at: INSTANT,
    last_seen_at: INSTANT,
    authenticated_at: { ...INSTANT, nullable: true },
    network: { type: 'text', nullable: true },
    client: { type: 'text', nullable: true },
    provider_session: { type: 'text', nullable: true },
    factor: { type: 'text', nullable: true },
  },
});

interface LoginAttemptsRow extends LoginAttempt {
  readonly used: number;
}

export const LOGIN_ATTEMPTS = new EntitySchema<LoginAttemptsRow>({
  name: 'login_attempts',
  tableName: 'login_attempts',
  schema: 'app',
  columns: {
    account_hash: { type: 'bytea', primary: true },
    window_start: INSTANT,
    used: { type: 'integer' },
  },
});

interface IdentityRow extends Identity {
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

export const PROVIDER_LOGINS = new EntitySchema<ProviderLogin>({
  name: 'provider_login',
  tableName: 'provider_logins',
  schema: 'app',
  columns: {
    state_hash: { type: 'bytea', primary: true },
    browser_hash: { type: 'bytea' },
    nonce: { type: 'text' },
    code_verifier: { type: 'text' },
    redirect_uri: { type: 'text' },
    created_at: INSTANT,
    is_fresh: { type: 'boolean' },
  },
});

export const DEVICE_SIGN_INS = new EntitySchema<DeviceSignIn>({
  name: 'device_sign_in',
  tableName: 'device_sign_ins',
  schema: 'app',
  columns: {
    code_hash: { type: 'bytea', primary: true },
    sealed_code: { type: 'bytea' },
    status: { type: 'text' },
    owner_id: { type: 'uuid', nullable: true },
    poll_every: { type: 'integer' },
    next_poll_at: INSTANT,
    lease_token: { type: 'uuid', nullable: true },
    lease_until: { ...INSTANT, nullable: true },
    created_at: INSTANT,
    expires_at: INSTANT,
  },
});
