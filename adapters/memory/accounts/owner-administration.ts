import type { OwnerAdministration } from '../../../domain/accounts/owner-administration.ts';
import { accountOf, type OwnerDataTables } from './owner-data.ts';

export function memoryOwnerAdministration(tables: OwnerDataTables): OwnerAdministration {
  const { owners, agents, keys, sessions, identities, deviceSignIns, acceptances, preferences } = tables;
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

    async remove(owner_id) {
      const removed = accountOf(tables, owner_id);
      const isOwn = (row: { readonly owner_id: string | null }) => row.owner_id === owner_id;
      for (const { agent_id } of agents.where(isOwn)) tables.agentCounts.delete(agent_id);
      for (const table of [agents, keys, sessions, identities, deviceSignIns, tables.workflows])
        table.deleteWhere(isOwn);
      for (const table of [acceptances, preferences, owners]) table.delete(owner_id);
      return removed;
    },
  };
}
