import { isConfirmed, type SessionFactor } from '../../../domain/accounts/factors/factor.ts';
import type { Passkey } from '../../../domain/accounts/factors/passkey.ts';
import type { OwnerCaller } from '../../../domain/caller.ts';
import type { Ports } from '../../ports.ts';
import type { PresentedCredential } from '../sign-in/proof-of-credential.ts';
import { hashOfSession } from '../sign-in/session-hash.ts';

/** The second factors of an owner, as the owner sees them: no secret is in it. */
export interface ListedFactors {
  readonly totp: { readonly confirmed_at: Date } | null;
  /** The oldest first. */
  readonly passkeys: readonly Passkey[];
  readonly recovery_codes_left: number;
  /** What the session of the request was opened with; null for a password alone, and for other credentials. */
  readonly session_factor: SessionFactor | null;
  /** Whether the owner's role needs one in the admin area. */
  readonly required: boolean;
}

export async function listFactors(
  { factors, sessions, settings }: Pick<Ports, 'factors' | 'sessions' | 'settings'>,
  { owner_id, role }: OwnerCaller,
  credential: PresentedCredential | null,
): Promise<ListedFactors> {
  const { totp, passkeys } = await factors.of(owner_id);
  const isSession = credential?.kind === 'legacy_session';
  const session = isSession ? await sessions.find(hashOfSession(credential.secret)) : null;
  return {
    totp: isConfirmed(totp) ? { confirmed_at: totp.confirmed_at } : null,
    passkeys,
    recovery_codes_left: await factors.recoveryCodes(owner_id),
    session_factor: session?.factor ?? null,
    required: role === 'admin' && settings.adminFactorRequired,
  };
}
