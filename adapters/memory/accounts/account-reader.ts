import type { AccountReader } from '../../../domain/accounts/operators/account-reader.ts';
import { foldEmail } from '../../../domain/accounts/owner.ts';
import type { OwnerDataTables } from './owner-data.ts';

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
