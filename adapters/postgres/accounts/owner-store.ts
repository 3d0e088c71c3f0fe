import { type Agent, foldEmail, type Owner } from '../../../domain/accounts/owner.ts';
import { ownerGone } from '../../../domain/accounts/owner-gone.ts';
import type { OwnerStore } from '../../../domain/accounts/owner-store.ts';
import { AGENTS, OWNERS } from '../entities/accounts.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresOwners(sql: Sql): OwnerStore {
  return {
    async add(owner) {
      const added = await sql.rows(ADD, [
        owner.owner_id,
        owner.email,
        owner.email === null ? null : foldEmail(owner.email),
        owner.password_hash,
        owner.role,
        owner.tier,
        owner.created_at,
      ]);
      return added.length > 0;
    },

    find: (owner_id): Promise<Owner | null> => sql.tables.findOneBy(OWNERS, { owner_id }),

    findByEmail: (email): Promise<Owner | null> => sql.tables.findOneBy(OWNERS, { email_folded: foldEmail(email) }),

    list: (after, limit) => sql.rows<Owner>(LIST, [after, limit]),

    async setRole(owner_id, role) {
      return (await sql.rows(SET_ROLE, [owner_id, role])).length > 0;
    },

    async setTier(owner_id, tier) {
      return (await sql.rows(SET_TIER, [owner_id, tier])).length > 0;
    },

    findAgent: (owner_id, agent_id): Promise<Agent | null> => sql.tables.findOneBy(AGENTS, { owner_id, agent_id }),

    addAgent: (agent, atMost) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK_OWNER, [agent.owner_id])).length === 0) throw ownerGone();
        const values = [agent.agent_id, agent.owner_id, agent.name, agent.created_at, atMost];
        return (await own.rows(ADD_AGENT, values)).length > 0;
      }),
  };
}

/**
 * Whoever counts what an owner has and then adds to it takes this lock first, in a statement of its own: the count
 * that follows then sees everything that others have added.
 */
export const LOCK_OWNER = 'select from app.owners where owner_id = $1 for no key update';

const ADD = `
  insert into app.owners (owner_id, email, email_folded, password_hash, role, tier, created_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (email_folded) do nothing
  returning owner_id`;

const LIST = `
  select owner_id, email, password_hash, role, tier, created_at from app.owners
  where $1::uuid is null or owner_id > $1::uuid
  order by owner_id limit $2`;

const SET_ROLE = 'update app.owners set role = $2 where owner_id = $1 and role <> $2 returning owner_id';

const SET_TIER = 'update app.owners set tier = $2 where owner_id = $1 and tier <> $2 returning owner_id';

const ADD_AGENT = `
  insert into app.agents (agent_id, owner_id, name, created_at)
  select $1, $2::uuid, $3, $4::timestamptz
  where (select count(*) from app.agents where owner_id = $2::uuid) < $5
  returning agent_id`;
