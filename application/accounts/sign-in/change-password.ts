import { hasFactor } from '../../../domain/accounts/factors/factor.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { ACCOUNT } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { HOUR } from '../../../domain/time.ts';
import type { Stores } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { revokeAllKeys } from '../keys/manage-keys.ts';
import type { LoginPorts, PasswordLogin } from './log-in.ts';
import { type PasswordAccount, passwordAccount, refuseNewPassword } from './password-account.ts';
import { hashOfSession } from './proof-of-credential.ts';
import { countAttempt, isProved, orTakeBack, tokenOf } from './prove-password.ts';
import { type CountedLimit, counted, type PasswordClient } from './register-owner.ts';
import { type NewLogin, replaceSession } from './sessions.ts';

export interface PasswordChange {
  readonly current_password: string;
  readonly new_password: string;
  /** Whether all API keys of the owner end with the old password. */
  readonly revoke_keys: boolean;
}

export interface PasswordChanged extends PasswordLogin {
  readonly keys_revoked: number;
}

/** The client of a request by session. */
export interface SessionClient extends PasswordClient {
  /** The id of the session; it ends. */
  readonly session: string;
}

/**
 * Replaces the password and ends every session of the owner, those of logins under way included (interface.md 4.3,
 * settled.md section 8); the caller continues in a session with a new id. Of concurrent changes one succeeds; the others
 * are refused, since their current password is no longer the right one.
 * @throws Problem WEAK_PASSWORD, INVALID_CREDENTIALS, PASSWORDLESS_ACCOUNT, NOT_FOUND, UNAUTHORIZED for a session that
 * ended meanwhile, RATE_LIMIT_EXCEEDED after too many attempts or changes, SERVICE_UNAVAILABLE when too many passwords
 * are being checked
 */
export async function changePassword(
  ports: LoginPorts,
  owner_id: string,
  sent: PasswordChange,
  client: SessionClient,
): Promise<PasswordChanged> {
  const owner = await ports.owners.find(owner_id);
  if (!owner) throw gone();
  const account = passwordAccount(owner);
  return counted(ports, [changesOf(owner_id)], async () => {
    await refuseNewPassword(ports.passwords, sent.new_password, account, 'new_password');
    return change(ports, account, sent, client);
  });
}

/** Replaces the password of an account that may change it. */
async function change(
  ports: LoginPorts,
  account: PasswordAccount,
  { current_password, new_password, revoke_keys }: PasswordChange,
  client: SessionClient,
): Promise<PasswordChanged> {
  const { network, source, session } = client;
  const { owner_id, email, password_hash } = account;
  const attempt = await countAttempt(ports, email, account, client);
  const turn = { purpose: 'change', network, owner_id } as const;
  const isRight = await isProved(ports, attempt, current_password, password_hash, turn);
  if (isRight) {
    const changed_hash = await orTakeBack(ports, attempt, () => ports.passwords.hash(new_password, turn));
    const now = await ports.clock.now();
    const changed = await ports.transaction(async (stores) => {
      const { logins, sessions, securityEvents } = stores;
      if (!(await logins.change(owner_id, password_hash, changed_hash))) return null;
      await logins.takeBack(attempt);
      const proof = await proofAfter(stores, session, owner_id, now);
      const begun = await replaceSession(stores, account, session, { now, source, ...proof });
      await sessions.destroyOf(owner_id, hashOfSession(begun.session_id));
      await securityEvents.append(eventOf('password_changed', 'success', owner_id, source));
      const device_token = tokenOf(ports, { owner_id, password_hash: changed_hash }, attempt);
      return { ...begun, device_token, keys_revoked: revoke_keys ? await revokeAllKeys(stores, owner_id, source) : 0 };
    });
    if (changed) return changed;
  }
  await ports.securityEvents.append(eventOf('password_changed', 'failure', owner_id, source));
  throw !isRight || (await ports.owners.find(owner_id)) ? wrongPassword() : gone();
}

/**
 * What the new session has proved: the password, now. Of an account with a second factor that alone is no new login, so it
 * has what the session of before had.
 */
async function proofAfter(
  { sessions, factors }: Pick<Stores, 'sessions' | 'factors'>,
  session: string,
  owner_id: string,
  now: Date,
): Promise<Pick<NewLogin, 'authenticated_at' | 'factor'>> {
  const before = await sessions.find(hashOfSession(session));
  const factor = before?.factor ?? null;
  return { authenticated_at: hasFactor(await factors.of(owner_id)) ? (before?.authenticated_at ?? null) : now, factor };
}

function changesOf(owner_id: string): CountedLimit {
  return {
    subject: sha256('password changes', owner_id),
    most: ACCOUNT.passwordChangesPerHour,
    window: HOUR,
    message: `The password may be changed ${ACCOUNT.passwordChangesPerHour} times an hour.`,
    suggestion: 'Wait retry_after_seconds.',
  };
}

function wrongPassword(): Problem {
  return new Problem('INVALID_CREDENTIALS', 'current_password is not the password of this account.', {
    suggestion: 'Send the password that you log in with as current_password.',
  });
}

function gone(): Problem {
  return new Problem('NOT_FOUND', 'This account no longer exists.');
}
