import { activeOwner } from '../../../domain/accounts/active-owner.ts';
import { type Agent, foldEmail, type Owner } from '../../../domain/accounts/owner.ts';
import type { OwnerStore } from '../../../domain/accounts/owner-store.ts';
import type { Table } from '../kit/table.ts';

export interface OwnerTables {
  readonly owners: Table<string, Owner>;
  readonly agents: Table<string, Agent>;
}

export function memoryOwners({ owners, agents }: OwnerTables, now: () => Date): OwnerStore {
  const withEmail = (email: string) =>
    owners.where((owner) => owner.email !== null && foldEmail(owner.email) === foldEmail(email))[0] ?? null;
  return {
    async add(owner) {
      if (owner.email !== null && withEmail(owner.email)) return false;
      if (owners.get(owner.owner_id)) throw new Error('The owner_id is taken.');
      owners.set(owner.owner_id, { ...owner });
      return true;
    },

    find: async (owner_id) => owners.get(owner_id) ?? null,

    findByEmail: async (email) => withEmail(email),

    async confirmEmail(owner_id) {
      const owner = owners.get(owner_id);
      if (!owner || owner.email === null || owner.suspended_at !== null) return null;
      const email_confirmed_at = owner.email_confirmed_at ?? now();
      owners.set(owner_id, { ...owner, email_confirmed_at });
      return email_confirmed_at;
    },

    async list(after, limit) {
      const rows = owners.where(({ owner_id }) => after === null || owner_id > after);
      return rows.toSorted((a, b) => (a.owner_id < b.owner_id ? -1 : 1)).slice(0, limit);
    },

    async findAgent(owner_id, agent_id) {
      const agent = agents.get(agent_id);
      return agent?.owner_id === owner_id ? agent : null;
    },

    async addAgent(agent, atMost) {
      activeOwner(owners.get(agent.owner_id));
      const own = agents.where(({ owner_id, archived_at }) => owner_id === agent.owner_id && archived_at === null);
      if (own.length >= atMost) return false;
      agents.set(agent.agent_id, { ...agent });
      return true;
    },
  };
}
