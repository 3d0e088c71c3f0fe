import { ownerGone } from '../../domain/accounts/owner.ts';
import {
  type LegalAcceptance,
  type LegalStatus,
  legalStatus,
  mergePreferences,
  type Preferences,
  type PreferencesPatch,
  refuseUnknownVersions,
} from '../../domain/accounts/profile.ts';
import type { Ports } from '../ports.ts';
import { type Keeper, keep } from '../quotas/keep.ts';

/**
 * Merges a change into the owner's preferences; concurrent changes are merged one after the other (interface.md 4.3).
 * @returns the merged preferences
 * @throws Problem VALIDATION_ERROR when more than 8 KiB would be stored, UNAUTHORIZED when the owner is gone meanwhile
 */
export function setPreferences(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  patch: PreferencesPatch,
): Promise<Preferences> {
  return transaction(async ({ profiles }) => {
    const stored = await profiles.lockPreferences(owner_id);
    if (!stored) throw ownerGone();
    const merged = mergePreferences(stored, patch);
    await profiles.setPreferences(owner_id, merged);
    return merged;
  });
}

export type AcceptPorts = Pick<Ports, 'transaction' | 'settings' | 'clock'>;

/** What the owner accepted last, and whether that is current (settled.md section 8). */
export async function readLegalStatus(
  { profiles, settings }: Pick<Ports, 'profiles' | 'settings'>,
  owner_id: string,
): Promise<LegalStatus> {
  return legalStatus(await profiles.lastAcceptance(owner_id), settings.legal);
}

/**
 * Stores that the owner accepted these versions; earlier acceptances stay (interface.md 4.3).
 * @throws Problem UNKNOWN_LEGAL_VERSION, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED when the owner is gone meanwhile
 */
export async function acceptLegal(
  { transaction, settings, clock }: AcceptPorts,
  keeper: Keeper,
  accepted: Omit<LegalAcceptance, 'accepted_at'>,
): Promise<LegalStatus> {
  refuseUnknownVersions(accepted, settings.legal);
  const acceptance = { ...accepted, accepted_at: await clock.now() };
  await transaction(async ({ profiles, kept }) => {
    if (!(await profiles.accept(keeper.owner_id, acceptance))) throw ownerGone();
    await keep({ kept }, settings, keeper, 'acceptance');
  });
  return legalStatus(acceptance, settings.legal);
}
