import { ownerGone } from '../../domain/accounts/active-owner.ts';
import { mergePreferences, type Preferences, type PreferencesPatch } from '../../domain/accounts/preferences.ts';
import type { Ports } from '../ports.ts';

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
