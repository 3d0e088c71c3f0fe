import type { AccountControl } from '../../../domain/accounts/operators/account-control.ts';
import type { RemovedTables } from './erasure-store.ts';
import { memoryOwnerAdministration } from './owner-administration.ts';

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
