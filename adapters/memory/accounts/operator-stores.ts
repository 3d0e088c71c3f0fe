import type {
  AccountControl,
  AccountReader,
  OwnerAdministration,
} from '../../../domain/accounts/operators/owner-administration.ts';
import { foldEmail } from '../../../domain/accounts/owner.ts';
import { hex } from '../kit/table.ts';
import { type RemovedTables, removeAccount } from './erasure-store.ts';
import { prefixesOf } from './key-stores.ts';
import type { OwnerDataTables } from './own-stores.ts';

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

export function memoryAccountControl(tables: RemovedTables, now: () => Date): AccountControl {
  const { owners } = tables;
  const administration = memoryOwnerAdministration(tables, now);
  const requireAdmin = (owner_id: string, admin: string) => {
    const actor = owners.get(admin);
    const isAdmin = actor?.role === 'admin' && actor.suspended_at === null;
    if (!isAdmin || owners.get(owner_id)?.role === 'admin') throw new Error(`${admin} may not change ${owner_id}.`);
  };
  return {
    async setTier(owner_id, tier, admin) {
      requireAdmin(owner_id, admin);
      return administration.setTier(owner_id, tier);
    },
    async suspend(owner_id, admin) {
      requireAdmin(owner_id, admin);
      return administration.suspend(owner_id);
    },
    async resume(owner_id, admin) {
      requireAdmin(owner_id, admin);
      return administration.resume(owner_id);
    },
  };
}

export function memoryAccounts(tables: OwnerDataTables): AccountReader {
  const { owners, agents, keys, sessions, webhooks, decisions } = tables;
  return {
    async list({ find, role, tier, suspended }, before, limit) {
      const isFound = (owner_id: string, email: string | null) =>
        find === undefined ||
        owner_id === find.toLowerCase() ||
        (email !== null && foldEmail(email).startsWith(foldEmail(find)));
      const page = owners
        .where(
          (owner) =>
            isFound(owner.owner_id, owner.email) &&
            (role === undefined || owner.role === role) &&
            (tier === undefined || owner.tier === tier) &&
            (suspended === undefined || (owner.suspended_at !== null) === suspended) &&
            (before === null || owner.owner_id < before),
        )
        .toSorted((a, b) => (a.owner_id > b.owner_id ? -1 : 1))
        .slice(0, limit);
      return page.map(({ owner_id, email, role: of, tier: at, created_at, suspended_at }) => ({
        ...{ owner_id, email, role: of, tier: at, created_at, suspended_at },
        agents: agents.where((each) => each.owner_id === owner_id && each.archived_at === null).length,
        keys: keys.where((each) => each.owner_id === owner_id && each.revoked_at === null).length,
        sessions: sessions.where((each) => each.owner_id === owner_id).length,
        webhooks: webhooks.where((each) => each.owner_id === owner_id).length,
        decisions: decisions.where((each) => each.owner_id === owner_id).length,
      }));
    },
  };
}
