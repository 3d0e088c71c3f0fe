import { MoreThan } from 'typeorm';
import { activeOwner, ownerForKeys } from '../../../domain/accounts/active-owner.ts';
import { type Agent, foldEmail, type Owner } from '../../../domain/accounts/owner.ts';
import type { OwnerStore } from '../../../domain/accounts/owner-store.ts';
import { AGENTS } from '../entities/agents.ts';
import { OWNERS } from '../entities/owners.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresOwners(sql: Sql): OwnerStore {
  return {
    async add(owner) {
      const row = { ...owner, email_folded: owner.email === null ? null : foldEmail(owner.email) };
      // An update of no column is `on conflict (email_folded) do nothing`; `orIgnore` would hide a taken owner_id too.
      const adding = sql.tables.createQueryBuilder().insert().into(OWNERS).values(row).orUpdate([], ['email_folded']);
      return (await adding.returning('owner_id').execute()).raw.length > 0;
    },

    find: (owner_id): Promise<Owner | null> => sql.tables.findOneBy(OWNERS, { owner_id }),

    findByEmail: (email): Promise<Owner | null> => sql.tables.findOneBy(OWNERS, { email_folded: foldEmail(email) }),

    async confirmEmail(owner_id) {
      const [row] = await sql.rows<{ readonly at: Date }>(CONFIRM_EMAIL, [owner_id]);
      return row?.at ?? null;
    },

    list: (after, limit): Promise<Owner[]> =>
      sql.tables.find(OWNERS, {
        where: after === null ? {} : { owner_id: MoreThan(after) },
        order: { owner_id: 'asc' },
        take: limit,
      }),

    findAgent: (owner_id, agent_id): Promise<Agent | null> => sql.tables.findOneBy(AGENTS, { owner_id, agent_id }),

    addAgent: (agent, atMost) =>
      sql.atomically(async (own) => {
        await lockOwner(own, agent.owner_id);
        const values = [agent.agent_id, agent.owner_id, agent.name, agent.created_at, atMost];
        return (await own.rows(ADD_AGENT, values)).length > 0;
      }),
  };
}

/**
 * Locks an owner, before a statement that counts what the owner has and adds to it, so that the count sees everything that
 * others have added.
 * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
 */
export async function lockOwner(sql: Sql, owner_id: string): Promise<void> {
  activeOwner(await lockedOwner(sql, owner_id));
}

/** The same before keys are added. @throws Problem as `lockOwner`, and ERASURE_SCHEDULED */
export async function lockOwnerForKeys(sql: Sql, owner_id: string): Promise<void> {
  ownerForKeys(await lockedOwner(sql, owner_id));
}

async function lockedOwner(sql: Sql, owner_id: string) {
  return (await sql.rows<Pick<Owner, 'suspended_at' | 'erases_at'>>(LOCK_OWNER, [owner_id]))[0];
}

/** SQL by hand: the clock, and the time that was first. */
const CONFIRM_EMAIL = `
  update app.owners set email_confirmed_at = coalesce(email_confirmed_at, app.now())
  where owner_id = $1 and email is not null and suspended_at is null returning email_confirmed_at as at`;

/** SQL by hand: a lock. */
const LOCK_OWNER = 'select suspended_at, erases_at from app.owners where owner_id = $1 for no key update';

/** SQL by hand: a count and an insert in one statement. */
const ADD_AGENT = `
  insert into app.agents (agent_id, owner_id, name, created_at)
  select $1, $2::uuid, $3, $4::timestamptz
  where (select count(*) from app.agents where owner_id = $2::uuid and archived_at is null) < $5
  returning agent_id`;
