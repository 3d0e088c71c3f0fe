import type { OwnerAdministration } from '../../../domain/accounts/operators/owner-administration.ts';
import { hex } from '../kit/hex.ts';
import { prefixesOf } from './api-key-store.ts';
import { type RemovedTables, removeAccount } from './erasure-store.ts';

export function memoryOwnerAdministration(tables: RemovedTables, now: () => Date): OwnerAdministration {
  const { owners, keys, sessions } = tables;
  return {
    async setRole(owner_id, role) {
      const owner = owners.get(owner_id);
      if (!owner || owner.role === role) return false;
      owners.set(owner_id, { ...owner, role });
      return true;
    },

    async setTier(owner_id, tier) {
      const owner = owners.get(owner_id);
      if (!owner || owner.tier === tier) return false;
      owners.set(owner_id, { ...owner, tier });
      return true;
    },

    async suspend(owner_id) {
      const owner = owners.get(owner_id);
      if (!owner || owner.suspended_at !== null) return null;
      const at = now();
      owners.set(owner_id, { ...owner, suspended_at: at });
      const sessions_ended = sessions.deleteWhere((session) => session.owner_id === owner_id);
      const valid = keys.where((key) => key.owner_id === owner_id && key.revoked_at === null);
      for (const key of valid) keys.set(hex(key.key_hash), { ...key, revoked_at: at, suspended: true });
      tables.links.deleteWhere((link) => link.owner_id === owner_id);
      return { sessions_ended, keys: prefixesOf(valid) };
    },

    async resume(owner_id) {
      const owner = owners.get(owner_id);
      if (!owner || owner.suspended_at === null) return null;
      owners.set(owner_id, { ...owner, suspended_at: null });
      const marked = keys.where((key) => key.owner_id === owner_id && key.suspended && owner.erases_at === null);
      for (const key of marked) keys.set(hex(key.key_hash), { ...key, revoked_at: null, suspended: false });
      return prefixesOf(marked);
    },

    remove: async (owner_id) => removeAccount(tables, owner_id, now()),
  };
}
