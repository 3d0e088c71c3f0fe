import { type AgentStore, usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import type { ApiKey, KeyInfo } from '../../../domain/accounts/keys/api-key.ts';
import type { Agent } from '../../../domain/accounts/owner.ts';
import { AGENTS } from '../entities/owners.ts';
import type { Sql } from '../kit/sql.ts';
import { lockOwner } from './provider-stores.ts';

export function postgresAgents(sql: Sql): AgentStore {
  return {
    archive: (owner_id, agent_id) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        usableAgent(await own.tables.findOneBy(AGENTS, { owner_id, agent_id }), agent_id);
        const [agent] = await own.rows<Agent>(ARCHIVE, [agent_id]);
        if (!agent) throw new Error('An agent has changed while its owner was locked.');
        const keys = await own.rows<Pick<ApiKey, 'key_prefix'>>(REVOKE_KEYS, [agent_id]);
        return { agent, keys: keys.map(({ key_prefix }) => key_prefix).toSorted() };
      }),

    restore: (owner_id, agent_id, atMost) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        const found: Agent | null = await own.tables.findOneBy(AGENTS, { owner_id, agent_id });
        if (found?.archived_at == null) return found;
        return (await own.rows<Agent>(RESTORE, [owner_id, agent_id, atMost]))[0] ?? 'full';
      }),

    remove: (owner_id, agent_id) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        const agent: Agent | null = await own.tables.findOneBy(AGENTS, { owner_id, agent_id });
        if (!agent) return null;
        const keys = await own.rows<LockedKey>(LOCK_KEYS, [agent_id]);
        if ((await own.rows(HAS_RECORDS, [agent_id])).length > 0) return 'has_records';
        await own.tables.delete(AGENTS, { owner_id, agent_id });
        return { agent, keys: keys.flatMap(({ key_prefix, revoked_at }) => (revoked_at ? [] : key_prefix)) };
      }),
  };
}

type LockedKey = Pick<KeyInfo, 'key_prefix' | 'revoked_at'>;

const AGENT = 'agent_id, owner_id, name, created_at, archived_at';

/** SQL by hand: the clock, a count within an update, and updates that return rows. */
const ARCHIVE = `
  update app.agents set archived_at = app.now() where agent_id = $1 returning ${AGENT}`;

/** A submission holds its key until it commits. */
const REVOKE_KEYS = `
  update app.api_keys set revoked_at = app.now() where agent_id = $1 and revoked_at is null returning key_prefix`;

const RESTORE = `
  update app.agents set archived_at = null where owner_id = $1 and agent_id = $2
    and (select count(*) from app.agents where owner_id = $1 and archived_at is null) < $3
  returning ${AGENT}`;

/** SQL by hand: a lock, which waits for submissions by these keys; later ones wait for it. */
const LOCK_KEYS = `
  select key_prefix, revoked_at from app.api_keys where agent_id = $1 order by key_prefix for update`;

const HAS_RECORDS = 'select from app.decisions where agent_id = $1 limit 1';
