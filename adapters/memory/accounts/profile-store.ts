import type { LegalAcceptance } from '../../../domain/accounts/legal.ts';
import type { Preferences } from '../../../domain/accounts/preferences.ts';
import type { ProfileStore } from '../../../domain/accounts/profile-store.ts';
import type { Table } from '../kit/table.ts';
import type { OwnerTables } from './owner-store.ts';

export interface ProfileTables extends OwnerTables {
  /** By owner, the newest last. */
  readonly acceptances: Table<string, readonly LegalAcceptance[]>;
  /** By owner; nothing before the first change. */
  readonly preferences: Table<string, Preferences>;
}

export function memoryProfiles({ acceptances, preferences, owners }: ProfileTables): ProfileStore {
  return {
    async accept(owner_id, acceptance) {
      if (!owners.get(owner_id)) return false;
      acceptances.set(owner_id, [...(acceptances.get(owner_id) ?? []), acceptance]);
      return true;
    },

    lastAcceptance: async (owner_id) => acceptances.get(owner_id)?.at(-1) ?? null,

    preferences: async (owner_id) => (owners.get(owner_id) ? (preferences.get(owner_id) ?? {}) : null),

    lockPreferences: async (owner_id) => (owners.get(owner_id) ? (preferences.get(owner_id) ?? {}) : null),

    async setPreferences(owner_id, changed) {
      if (owners.get(owner_id)) preferences.set(owner_id, structuredClone(changed));
    },
  };
}
