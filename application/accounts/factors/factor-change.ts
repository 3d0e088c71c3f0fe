import { hasFactor, type OwnFactors, type SessionFactor } from '../../../domain/accounts/factors/factor.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import type { UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import { FACTOR } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { hashOfSession } from '../sign-in/proof-of-credential.ts';
import { endedSession, sessionTooOld } from '../sign-in/recent-login.ts';
import { type LoggedIn, replaceSession } from '../sign-in/sessions.ts';
import { stopFactorReset } from './factor-reset.ts';
import { needsFactor } from './required-factor.ts';
import { readableSecret, typedSecret } from './totp-secret.ts';

/** An owner who changes factors, by session. */
export interface FactorCaller {
  readonly owner_id: string;
  /** The id of the session. */
  readonly session: string;
  readonly source: ActionSource;
}

export type FactorPorts = Pick<Ports, 'transaction' | 'clock' | 'settings'>;

/** An added factor. */
export interface AddedFactor extends LoggedIn {
  /** Of an account that had none; null where it has recovery codes. */
  readonly recovery_codes: readonly string[] | null;
}

/**
 * Begins a change of factors in its transaction: the caller has logged in a short time ago, with a factor where the account
 * has one, and other changes and logins wait.
 * @throws Problem REAUTHENTICATION_REQUIRED, UNAUTHORIZED for a session that ended meanwhile, ACCOUNT_SUSPENDED
 */
export async function beginChange(
  { settings }: Pick<Ports, 'settings'>,
  { factors, sessions }: Pick<Stores, 'factors' | 'sessions'>,
  { owner_id, session }: FactorCaller,
): Promise<{ readonly before: OwnFactors; readonly session: UsedSession }> {
  await factors.lock(owner_id);
  const within = settings.reauthenticateAfter;
  const isRecent = await sessions.confirmRecent(hashOfSession(session), within);
  const used = await sessions.find(hashOfSession(session));
  if (!used) throw endedSession();
  if (!isRecent) throw sessionTooOld(within);
  const before = await factors.of(owner_id);
  if (hasFactor(before) && used.factor === null) throw withoutFactor();
  return { before, session: used };
}

/**
 * Ends an enrolment: a session of before has fewer rights than the account now asks for, so all end, and the caller goes on
 * in a new one. An account without recovery codes gets its first ones.
 */
export async function endEnrolment(
  stores: Pick<Stores, 'factors' | 'sessions' | 'securityEvents' | 'audit'>,
  owner: Owner,
  factor: SessionFactor,
  { session, source }: FactorCaller,
  now: Date,
): Promise<AddedFactor> {
  const { factors, sessions, securityEvents } = stores;
  const { owner_id } = owner;
  const recovery_codes = (await factors.recoveryCodes(owner_id)) > 0 ? null : await newRecoveryCodes(stores, owner_id);
  const begun = await replaceSession(stores, owner, session, { now, authenticated_at: now, source, factor });
  await sessions.destroyOf(owner_id, hashOfSession(begun.session_id));
  await securityEvents.append({ ...eventOf('factor_added', 'success', owner_id, source), subject: factor });
  await stopFactorReset(stores, owner_id, 'login', source);
  return { ...begun, recovery_codes };
}

/**
 * Ends a removal: sessions of others that the factor opened must not outlive it. The last factor takes its recovery codes
 * along.
 * @throws Problem FACTOR_REQUIRED for the last factor of an owner who needs one
 */
export async function endRemoval(
  { settings }: Pick<Ports, 'settings'>,
  stores: Pick<Stores, 'owners' | 'factors' | 'sessions' | 'securityEvents'>,
  factor: SessionFactor,
  { owner_id, session, source }: FactorCaller,
): Promise<void> {
  const { factors, sessions, securityEvents } = stores;
  if (!hasFactor(await factors.of(owner_id))) {
    await refuseBareOwner(settings, stores, owner_id, session);
    await factors.setRecoveryCodes(owner_id, []);
  }
  await sessions.destroyOf(owner_id, hashOfSession(session));
  await securityEvents.append({ ...eventOf('factor_removed', 'success', owner_id, source), subject: factor });
}

/** An owner whose provider asks for a factor can do without one here. */
async function refuseBareOwner(
  settings: FactorPorts['settings'],
  { owners, sessions }: Pick<Stores, 'owners' | 'sessions'>,
  owner_id: string,
  session: string,
): Promise<void> {
  const [owner, used] = [await owners.find(owner_id), await sessions.find(hashOfSession(session))];
  if (!owner || !needsFactor(settings, owner.role) || used?.factor === 'provider') return;
  throw new Problem('FACTOR_REQUIRED', 'Your account needs a second factor here, and this is your last one.', {
    suggestion:
      'Add another one first: a passkey, or another authenticator app (POST /api/v1/owner/auth/factors/totp), which takes ' +
      'the place of the first one.',
  });
}

function withoutFactor(): Problem {
  return new Problem('REAUTHENTICATION_REQUIRED', 'This needs a login with a second factor.', {
    suggestion:
      'Log in again with it: POST /api/v1/owner/auth/reauthenticate, with `totp`, `recovery_code` or a passkey; without a password ' +
      'shortly after a login at the provider. Then repeat the request with the new cookie.',
    login: { acr_values: [] },
  });
}

/**
 * Replaces the recovery codes of the caller: those of before are void.
 * @throws Problem REAUTHENTICATION_REQUIRED, NOT_FOUND without a second factor
 */
export function renewRecoveryCodes(ports: FactorPorts, caller: FactorCaller): Promise<readonly string[]> {
  return ports.transaction(async (stores) => {
    const { owner_id, source } = caller;
    const { before } = await beginChange(ports, stores, caller);
    if (!hasFactor(before)) {
      throw new Problem('NOT_FOUND', 'This account has no second factor, so it needs no recovery codes.', {
        suggestion: 'Add one first: POST /api/v1/owner/auth/factors/totp. It comes with recovery codes.',
      });
    }
    await stores.securityEvents.append(eventOf('recovery_codes_renewed', 'success', owner_id, source));
    return newRecoveryCodes(stores, owner_id);
  });
}

/** SHA-256: its 120 random bits need no slow hash. */
export function hashOfRecoveryCode(owner_id: string, code: string): Uint8Array {
  return sha256('recovery code ', owner_id, ' ', typedSecret(code));
}

/** A new set of recovery codes in the place of the former one: shown once, and stored as hashes. */
async function newRecoveryCodes({ factors }: Pick<Stores, 'factors'>, owner_id: string): Promise<readonly string[]> {
  const codes = Array.from({ length: FACTOR.recoveryCodes }, () => readableSecret(FACTOR.recoverySigns));
  await factors.setRecoveryCodes(
    owner_id,
    codes.map((code) => hashOfRecoveryCode(owner_id, code)),
  );
  return codes;
}
