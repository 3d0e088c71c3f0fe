import { type AgentStore, usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import { activeOwner } from '../../../domain/accounts/owner.ts';
import { hex } from '../kit/hex.ts';
import { prefixesOf } from './key-stores.ts';
import type { OverviewTables } from './own-stores.ts';

export function memoryAgents(tables: OverviewTables, now: () => Date): AgentStore {
  const { owners, agents, keys, decisions } = tables;
  const find = (owner_id: string, agent_id: string) => {
    activeOwner(owners.get(owner_id));
    const agent = agents.get(agent_id);
    return agent?.owner_id === owner_id ? agent : null;
  };
  const validKeys = (agent_id: string) => keys.where((key) => key.agent_id === agent_id && key.revoked_at === null);
  return {
    async archive(owner_id, agent_id) {
      const found = usableAgent(find(owner_id, agent_id), agent_id);
      const at = now();
      const agent = { ...found, archived_at: at };
      agents.set(agent_id, agent);
      const valid = validKeys(agent_id);
      for (const key of valid) keys.set(hex(key.key_hash), { ...key, revoked_at: at });
      return { agent, keys: prefixesOf(valid) };
    },

    async restore(owner_id, agent_id, atMost) {
      const found = find(owner_id, agent_id);
      if (found?.archived_at == null) return found;
      if (agents.where((agent) => agent.owner_id === owner_id && agent.archived_at === null).length >= atMost)
        return 'full';
      const agent = { ...found, archived_at: null };
      agents.set(agent_id, agent);
      return agent;
    },

    async remove(owner_id, agent_id) {
      const agent = find(owner_id, agent_id);
      if (!agent) return null;
      if (decisions.where((record) => record.agent_id === agent_id).length > 0) return 'has_records';
      const valid = validKeys(agent_id);
      keys.deleteWhere((key) => key.agent_id === agent_id);
      tables.agentCounts.delete(agent_id);
      agents.delete(agent_id);
      return { agent, keys: prefixesOf(valid) };
    },
  };
}
