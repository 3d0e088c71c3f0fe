import type { Owner } from '../../../domain/accounts/owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import type { HashTurn } from '../../../domain/accounts/sign-in/password.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { judgeCode, type SentCode } from '../factors/sent-code.ts';
import type { PasswordAccount } from './password-account.ts';
import {
  type AccountAttempt,
  type AttemptPorts,
  countAttempt,
  isProved,
  orTakeBack,
  tokenOf,
} from './prove-password.ts';
import type { PasswordClient } from './register-owner.ts';
import { beginSession, type LoggedIn, notingSuspension } from './sessions.ts';

export interface Login extends SentCode {
  /** Compared case-folded. */
  readonly email: string;
  readonly password: string;
}

/** What the request shows of its client, not verified. */
export interface LoginClient extends PasswordClient {
  /** The id of its earlier session. */
  readonly session: string | undefined;
}

export type LoginPorts = AttemptPorts & Pick<Ports, 'owners' | 'passwords' | 'oneTimeCodes' | 'clock' | 'transaction'>;

/** A login by password. */
export interface PasswordLogin extends LoggedIn {
  /** For the cookie of the device. */
  readonly device_token: string;
}

/**
 * Begins a session of a password account (interface.md 4.5, settled.md section 8). An unknown email is treated like a
 * known one, to the number of statements and hashes. A password that was changed while it was being checked begins no
 * session, and neither does one without the second factor of an account that has one. A hash of a former pepper or cost is
 * replaced.
 * @throws Problem INVALID_CREDENTIALS, ACCOUNT_SUSPENDED and SECOND_FACTOR_REQUIRED after the right password,
 * RATE_LIMIT_EXCEEDED after too many attempts, SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function logIn(ports: LoginPorts, login: Login, client: LoginClient): Promise<PasswordLogin> {
  const { email } = login;
  const owner = await ports.owners.findByEmail(email);
  const attempt = await countAttempt(ports, email, owner, client);
  const begin = (current: Owner | null) => beginProved(ports, current, login, attempt, client);
  const first = await begin(owner);
  // Another login may have replaced an outdated hash of the same password.
  const begun = first === 'changed' ? await begin(await ports.owners.findByEmail(email)) : first;
  if (typeof begun === 'object' && !(begun instanceof Problem)) return begun;
  await ports.securityEvents.append(eventOf('login', 'failure', owner?.owner_id ?? null, client.source));
  throw begun instanceof Problem ? begun : new Problem('INVALID_CREDENTIALS', 'Email or password is incorrect.');
}

/** `changed`: the password is right by the hash of before, and the owner has another one now. A problem: it is right alone. */
async function beginProved(
  ports: LoginPorts,
  owner: Owner | null,
  { password, ...sent }: Login,
  attempt: AccountAttempt,
  { network, source, session }: LoginClient,
): Promise<PasswordLogin | Problem | 'wrong' | 'changed'> {
  const password_hash = owner?.password_hash ?? null;
  const turn = { purpose: 'login', network } as const;
  const isRight = await isProved(ports, attempt, password, password_hash, turn);
  if (!owner || password_hash === null || !isRight) return 'wrong';
  const { owner_id } = owner;
  const now = await ports.clock.now();
  const begun = await notingSuspension(ports, eventOf('login', 'failure', owner_id, source), () =>
    orTakeBack(ports, attempt, () =>
      ports.transaction(async (stores) => {
        const { logins, securityEvents } = stores;
        if (!(await logins.confirm(owner_id, password_hash))) return null;
        const verdict = await judgeCode(ports, stores, owner_id, sent, now, source);
        // A wrong code stays a failed login.
        if (verdict.isProved || !verdict.isSent) await logins.takeBack(attempt);
        if (!verdict.isProved) return verdict.refusal;
        const isKnownBrowser = attempt.device_id !== null;
        await securityEvents.append(eventOf('login', 'success', owner_id, source), { isKnownBrowser });
        const { factor } = verdict;
        return beginSession(stores, owner, session, { now, authenticated_at: now, source, factor });
      }),
    ),
  );
  if (!begun) return 'changed';
  if (begun instanceof Problem) return begun;
  const account = { owner_id, password_hash: await currentHash(ports, { owner_id, password_hash }, password, turn) };
  return { ...begun, device_token: tokenOf(ports, account, attempt) };
}

/** The hash of the owner's password after an outdated one is replaced. */
async function currentHash(
  { passwords, logins }: LoginPorts,
  { owner_id, password_hash }: Pick<PasswordAccount, 'owner_id' | 'password_hash'>,
  password: string,
  turn: HashTurn,
): Promise<string> {
  if (!passwords.isOutdated(password_hash)) return password_hash;
  // A later login replaces it where there was no place in the queue now.
  const renewed = await passwords.hash(password, turn).catch(() => null);
  return renewed !== null && (await logins.change(owner_id, password_hash, renewed)) ? renewed : password_hash;
}
