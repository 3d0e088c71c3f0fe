import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { foldEmail, type Owner } from '../../../domain/accounts/owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import type { LoginAttempt } from '../../../domain/accounts/sign-in/login-store.ts';
import type { HashTurn } from '../../../domain/accounts/sign-in/password.ts';
import { LOGIN } from '../../../domain/limits.ts';
import type { Ports, Settings } from '../../ports.ts';
import { derivedKey, derivedKeys, type SecretValues } from '../../sealed-secret.ts';
import { sha256 } from '../../sha256.ts';
import type { PasswordAccount } from './password-account.ts';
import { type PasswordClient, refusalOf } from './register-owner.ts';

const ID_BYTES = 16;

const PURPOSE = 'device of a login';

export type AttemptPorts = Pick<Ports, 'logins' | 'securityEvents'> & {
  readonly settings: Pick<Settings, 'sessionSecret'>;
};

/** An attempt on the account of an email, existing or not. */
export interface AccountAttempt extends LoginAttempt {
  /** The device of the attempt, when it has logged in to the account before. */
  readonly device_id: string | null;
}

/**
 * Counts an attempt before the password is checked: at most 10 that failed or are under way in a quarter of an hour. A
 * device that has logged in to the account before has these for itself, so has a network, and all others share them: so
 * guesses from elsewhere prevent no login of those.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function countAttempt(
  ports: AttemptPorts,
  email: string,
  owner: Owner | null,
  { source, device }: PasswordClient,
): Promise<AccountAttempt> {
  const { owner_id = NOBODY, password_hash = null } = owner ?? {};
  const { sessionSecret } = ports.settings;
  // Asked for every email, so that an unknown one takes as many statements.
  const isKnown = await ports.securityEvents.hasLoggedIn(owner_id, source.network);
  const device_id =
    device === undefined || password_hash === null
      ? null
      : deviceOf(sessionSecret, { owner_id, password_hash }, device);
  const attempt = await ports.logins.count(
    allowanceOf(email, device_id, isKnown ? source.network : null),
    LOGIN.attempts,
  );
  if (attempt.admitted) return { ...attempt, device_id };
  await ports.securityEvents.append(eventOf('lockout', 'failure', owner?.owner_id ?? null, source));
  throw refusalOf(attempt, {
    window: LOGIN.window,
    message: 'There were too many wrong passwords for this email address.',
    suggestion: 'Wait retry_after_seconds; sessions that are open and API keys go on working.',
  });
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The hash under which an attempt counts. */
function allowanceOf(email: string, device_id: string | null, network: string | null): Uint8Array {
  const account = hashOfAccount(email);
  if (device_id !== null) return sha256(account, 'device ', device_id);
  return network === null ? account : sha256(account, 'network ', network);
}

/**
 * Whether the password matches the hash. An attempt without a result is taken back; the caller takes back a successful
 * one, in the transaction that it was made for.
 * @param hash null without an account: it takes as long
 * @throws Problem RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function isProved(
  ports: Pick<Ports, 'logins' | 'passwords'>,
  attempt: LoginAttempt,
  password: string,
  hash: string | null,
  turn: HashTurn,
): Promise<boolean> {
  return orTakeBack(ports, attempt, () => ports.passwords.verify(password, hash, turn));
}

/** Does work that follows an attempt; if the work fails, the attempt is taken back. */
export async function orTakeBack<T>(
  { logins }: Pick<Ports, 'logins'>,
  attempt: LoginAttempt,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    await logins.takeBack(attempt);
    throw fault;
  }
}

/** The token of the device that has just logged in: it stays the same device. */
export function tokenOf(
  { settings }: AttemptPorts,
  account: Pick<PasswordAccount, 'owner_id' | 'password_hash'>,
  { device_id }: AccountAttempt,
): string {
  return deviceToken(settings.sessionSecret, account, device_id);
}

/** The hash of the account of an email, which counts the attempts of clients that have not logged in before. */
export function hashOfAccount(email: string): Uint8Array {
  return sha256(foldEmail(email));
}

/** What a token is bound to: it is void once the password is another one. */
type Account = Pick<PasswordAccount, 'owner_id' | 'password_hash'>;

/**
 * The token of a browser that has logged in to the account, for a cookie that outlives sessions. It gives the browser an
 * allowance of wrong passwords of its own, and no access. Nothing is stored; it ends with the password.
 * @param device_id of its earlier token; a new one by default
 */
export function deviceToken(secret: SecretValues, account: Account, device_id?: string | null): string {
  const id = device_id ?? randomBytes(ID_BYTES).toString('base64url');
  return `${id}.${sealOf(derivedKey(secret, PURPOSE), account, id).toString('base64url')}`;
}

/** The device of a token for this account; null for a token that is not valid for it. */
export function deviceOf(secret: SecretValues, account: Account, token: string): string | null {
  const [id = '', seal = '', ...more] = token.split('.');
  const presented = Buffer.from(seal, 'base64url');
  if (more.length > 0) return null;
  const seals = derivedKeys(secret, PURPOSE).map((key) => sealOf(key, account, id));
  const isOne = seals.some((each) => presented.length === each.length && timingSafeEqual(presented, each));
  return isOne ? id : null;
}

function sealOf(key: KeyObject, { owner_id, password_hash }: Account, id: string): Buffer {
  const content = JSON.stringify([owner_id, password_hash, id]);
  return createHmac('sha256', key).update(content).digest();
}
