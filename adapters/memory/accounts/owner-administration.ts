import type { OwnerAdministration } from '../../../domain/accounts/owner-administration.ts';
import { hex } from '../kit/hex.ts';
import { endMailsOf } from '../mail/mail-store.ts';
import { prefixesOf } from './api-key-store.ts';
import { accountOf, type OwnerDataTables } from './owner-data.ts';

export function memoryOwnerAdministration(tables: OwnerDataTables, now: () => Date): OwnerAdministration {
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
      const marked = keys.where((key) => key.owner_id === owner_id && key.suspended);
      for (const key of marked) keys.set(hex(key.key_hash), { ...key, revoked_at: null, suspended: false });
      return prefixesOf(marked);
    },

    async remove(owner_id) {
      const removed = accountOf(tables, owner_id);
      const isOwn = (row: { readonly owner_id: string | null }) => row.owner_id === owner_id;
      for (const { webhook_id } of tables.webhooks.where(isOwn))
        tables.deliveries.deleteWhere((delivery) => delivery.webhook_id === webhook_id);
      for (const { agent_id } of agents.where(isOwn)) tables.agentCounts.delete(agent_id);
      const { totpSecrets, recoveryCodes, passkeys, workflows, webhooks } = tables;
      for (const table of [agents, keys, sessions, identities, deviceSignIns, workflows, webhooks])
        table.deleteWhere(isOwn);
      for (const table of [totpSecrets, recoveryCodes, passkeys]) table.deleteWhere(isOwn);
      tables.links.deleteWhere(isOwn);
      endMailsOf(tables, owner_id, now());
      for (const table of [acceptances, preferences, owners]) table.delete(owner_id);
      return removed;
    },
  };
}
