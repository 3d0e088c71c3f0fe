import { type FactorReset, isConfirmed, type SessionFactor } from '../../../domain/accounts/factors/factor.ts';
import type { Passkey } from '../../../domain/accounts/factors/passkey.ts';
import { type Owner, ownerGone } from '../../../domain/accounts/owner.ts';
import type { OwnerCaller } from '../../../domain/caller.ts';
import { TOTP } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { hashOfSession, type PresentedCredential } from '../sign-in/proof-of-credential.ts';
import {
  type AddedFactor,
  beginChange,
  endEnrolment,
  endRemoval,
  type FactorCaller,
  type FactorPorts,
} from './factor-change.ts';
import { needsFactor } from './required-factor.ts';
import { counted } from './sent-code.ts';
import { openTotp, sealTotp } from './totp-secret.ts';

export type TotpPorts = FactorPorts & Pick<Ports, 'oneTimeCodes' | 'owners'>;

/** An authenticator app that is being added: shown to its owner once. */
export interface BegunTotp {
  readonly secret: string;
  /** What a page draws as a QR code. */
  readonly otpauth_uri: string;
  /** Until when a code of the app confirms it. */
  readonly expires_at: Date;
}

/**
 * Begins an authenticator app, which its first code confirms (`confirmTotp`). Until then a former app goes on working.
 * @throws Problem REAUTHENTICATION_REQUIRED, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function beginTotp(ports: TotpPorts, caller: FactorCaller): Promise<BegunTotp> {
  const { oneTimeCodes, settings, clock } = ports;
  const { owner_id } = caller;
  const owner = await ownerOf(ports, owner_id);
  const secret = oneTimeCodes.newSecret();
  const now = await clock.now();
  await ports.transaction(async (stores) => {
    await beginChange(ports, stores, caller);
    await stores.factors.beginTotp(owner_id, sealTotp(settings.sessionSecret, owner_id, secret));
  });
  const otpauth_uri = oneTimeCodes.uri(secret, owner.email ?? owner_id);
  return { secret, otpauth_uri, expires_at: new Date(now.getTime() + TOTP.beginLife) };
}

/**
 * Confirms the app that was begun by a code of it: from now on it is a factor of the account, in the place of a former one.
 * All sessions end; the caller goes on in a new one, opened with the factor.
 * @throws Problem REAUTHENTICATION_REQUIRED, NOT_FOUND when none was begun in time, INVALID_CREDENTIALS for a wrong code,
 * RATE_LIMIT_EXCEEDED after too many, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function confirmTotp(ports: TotpPorts, caller: FactorCaller, code: string): Promise<AddedFactor> {
  const owner = await ownerOf(ports, caller.owner_id);
  const now = await ports.clock.now();
  const added = await ports.transaction(async (stores) => {
    const { before } = await beginChange(ports, stores, caller);
    const { pending = null, pending_at = null } = before.totp ?? {};
    const isBegun = pending_at !== null && now.getTime() < pending_at.getTime() + TOTP.beginLife;
    if (pending === null || !isBegun) throw notBegun();
    const verdict = await counted(stores, caller.owner_id, 'totp', caller.source, () =>
      confirms(ports, stores, owner, pending, code, now),
    );
    if (!verdict.isProved) return verdict.refusal;
    return endEnrolment(stores, owner, 'totp', caller, now);
  });
  if (!(added instanceof Problem)) return added;
  if (added.code === 'RATE_LIMIT_EXCEEDED') throw added;
  throw new Problem('INVALID_CREDENTIALS', 'The code is not one of the app that is being added.', {
    suggestion: 'Send the code that the app shows now, and check the clock of its device.',
  });
}

async function confirms(
  { oneTimeCodes, settings }: TotpPorts,
  { factors }: Pick<Stores, 'factors'>,
  { owner_id }: Owner,
  pending: Uint8Array,
  code: string,
  now: Date,
): Promise<boolean> {
  const secret = openTotp(settings.sessionSecret, owner_id, pending);
  const step = secret === null ? null : oneTimeCodes.stepOf(secret, code, now);
  return step !== null && factors.confirmTotp(owner_id, pending, step, TOTP.beginLife);
}

/**
 * Removes the authenticator app of the caller; the caller's other sessions end.
 * @throws Problem FACTOR_REQUIRED for the last factor of an owner who needs one, REAUTHENTICATION_REQUIRED, NOT_FOUND, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export function removeTotp(ports: FactorPorts, caller: FactorCaller): Promise<void> {
  return ports.transaction(async (stores) => {
    await beginChange(ports, stores, caller);
    if (!(await stores.factors.removeTotp(caller.owner_id)))
      throw new Problem('NOT_FOUND', 'This account has no authenticator app.');
    await endRemoval(ports, stores, 'totp', caller);
  });
}

async function ownerOf({ owners }: Pick<Ports, 'owners'>, owner_id: string): Promise<Owner> {
  const owner = await owners.find(owner_id);
  if (!owner) throw ownerGone();
  return owner;
}

function notBegun(): Problem {
  return new Problem('NOT_FOUND', 'No authenticator app is being added, or it took too long.', {
    suggestion: 'Begin again: POST /api/v1/owner/auth/factors/totp.',
  });
}

/** The second factors of an owner, as the owner sees them: no secret is in it. */
interface ListedFactors {
  readonly totp: { readonly confirmed_at: Date } | null;
  /** The oldest first. */
  readonly passkeys: readonly Passkey[];
  readonly recovery_codes_left: number;
  /** What the session of the request was opened with; null for a password alone, and for other credentials. */
  readonly session_factor: SessionFactor | null;
  /** Whether the owner needs one: in the admin area as an admin, or anywhere (OWNER_FACTOR). */
  readonly required: boolean;
  /** The removal of all factors that an operator has requested; null without one. */
  readonly reset: Pick<FactorReset, 'evidence' | 'requested_at' | 'due_at'> | null;
}

export async function listFactors(
  { factors, sessions, settings }: Pick<Ports, 'factors' | 'sessions' | 'settings'>,
  { owner_id, role }: OwnerCaller,
  credential: PresentedCredential | null,
): Promise<ListedFactors> {
  const { totp, passkeys } = await factors.of(owner_id);
  const reset = await factors.requestedReset(owner_id);
  const isSession = credential?.kind === 'legacy_session';
  const session = isSession ? await sessions.find(hashOfSession(credential.secret)) : null;
  return {
    totp: isConfirmed(totp) ? { confirmed_at: totp.confirmed_at } : null,
    passkeys,
    recovery_codes_left: await factors.recoveryCodes(owner_id),
    session_factor: session?.factor ?? null,
    required: needsFactor(settings, role),
    reset: reset && { evidence: reset.evidence, requested_at: reset.requested_at, due_at: reset.due_at },
  };
}
