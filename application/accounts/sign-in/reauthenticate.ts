import { hasFactor } from '../../../domain/accounts/factors/factor.ts';
import { type Owner, ownerGone } from '../../../domain/accounts/owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { judgeCode, type SentCode } from '../factors/sent-code.ts';
import type { SessionClient } from './change-password.ts';
import type { LoginPorts } from './log-in.ts';
import { passwordAccount } from './password-account.ts';
import { hashOfSession } from './proof-of-credential.ts';
import { countAttempt, isProved } from './prove-password.ts';
import { sessionTooOld } from './recent-login.ts';
import { type LoggedIn, replaceSession } from './sessions.ts';

export interface SentProof extends SentCode {
  /** Of an account that has one. */
  readonly password?: string | undefined;
}

export type ReauthenticationPorts = LoginPorts & Pick<Ports, 'factors'> & { readonly settings: Ports['settings'] };

/**
 * Proves to be the owner again, and replaces the session of the request by a new one, as a login does. An account with a
 * second factor proves it too; without a password it does so shortly after a login at the provider. A wrong password or
 * code counts as a failed login.
 * @throws Problem INVALID_CREDENTIALS, SECOND_FACTOR_REQUIRED, PASSWORDLESS_ACCOUNT, VALIDATION_ERROR without a password,
 * REAUTHENTICATION_REQUIRED for a code alone too long after the login, UNAUTHORIZED for a session that ended meanwhile,
 * RATE_LIMIT_EXCEEDED after too many attempts, SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function reauthenticate(
  ports: ReauthenticationPorts,
  owner_id: string,
  proof: SentProof,
  client: SessionClient,
): Promise<LoggedIn> {
  const owner = await ports.owners.find(owner_id);
  if (!owner) throw ownerGone();
  const begun =
    owner.password_hash === null
      ? await byCodeAlone(ports, owner, proof, client)
      : await byPassword(ports, owner, proof, client);
  if (begun instanceof Problem) {
    await ports.securityEvents.append(eventOf('reauthentication', 'failure', owner_id, client.source));
    throw begun;
  }
  return begun;
}

async function byPassword(
  ports: ReauthenticationPorts,
  owner: Owner,
  { password, ...sent }: SentProof,
  client: SessionClient,
): Promise<LoggedIn | Problem> {
  if (password === undefined) throw withoutPassword();
  const { owner_id, email, password_hash } = passwordAccount(owner);
  const attempt = await countAttempt(ports, email, owner, client);
  // After the logins in the queue, so that a flood of these delays no login.
  const turn = { purpose: 'change', network: client.network, owner_id } as const;
  if (!(await isProved(ports, attempt, password, password_hash, turn))) return wrongPassword();
  const now = await ports.clock.now();
  return ports.transaction(async (stores) => {
    if (!(await stores.logins.confirm(owner_id, password_hash))) return wrongPassword();
    return prove(ports, stores, owner, sent, client, now, () => stores.logins.takeBack(attempt));
  });
}

/** The provider has proved the rest, a short time ago. */
async function byCodeAlone(
  ports: ReauthenticationPorts,
  owner: Owner,
  { totp, recovery_code }: SentProof,
  client: SessionClient,
): Promise<LoggedIn | Problem> {
  const isSent = totp !== undefined || recovery_code !== undefined;
  if (!isSent || !hasFactor(await ports.factors.of(owner.owner_id))) passwordAccount(owner);
  const within = ports.settings.reauthenticateAfter;
  const now = await ports.clock.now();
  return ports.transaction(async (stores) => {
    await stores.factors.lock(owner.owner_id);
    if (!(await stores.sessions.confirmRecent(hashOfSession(client.session), within))) throw sessionTooOld(within);
    return prove(ports, stores, owner, { totp, recovery_code }, client, now, async () => undefined);
  });
}

/** Judges the code, then replaces the session. A refusal is returned, because what it counts must be stored. */
async function prove(
  ports: ReauthenticationPorts,
  stores: Stores,
  owner: Owner,
  sent: SentCode,
  { source, session }: SessionClient,
  now: Date,
  takeBack: () => Promise<void>,
): Promise<LoggedIn | Problem> {
  const verdict = await judgeCode(ports, stores, owner.owner_id, sent, now, source);
  if (verdict.isProved || !verdict.isSent) await takeBack();
  if (!verdict.isProved) return verdict.refusal;
  await stores.securityEvents.append(eventOf('reauthentication', 'success', owner.owner_id, source));
  const { factor } = verdict;
  return replaceSession(stores, owner, session, { now, authenticated_at: now, source, factor });
}

function wrongPassword(): Problem {
  return new Problem('INVALID_CREDENTIALS', 'The password is incorrect.', {
    suggestion: 'Send the password that you log in with.',
  });
}

function withoutPassword(): Problem {
  const details = [{ path: 'password', message: 'is required for an account with a password' }];
  return new Problem('VALIDATION_ERROR', 'The password is missing.', { details });
}
