import { MoreThan } from 'typeorm';
import {
  type Agent,
  activeOwner,
  foldEmail,
  type Owner,
  type OwnerStore,
  ownerForKeys,
} from '../../../domain/accounts/owner.ts';
import type { DeviceSignIn } from '../../../domain/accounts/provider/device-sign-in.ts';
import type { DeviceSignInStore } from '../../../domain/accounts/provider/device-sign-in-store.ts';
import type {
  IdentityStore,
  ProviderLogin,
  ProviderLoginStore,
} from '../../../domain/accounts/provider/identity-provider.ts';
import { DEVICE_FLOW, IDENTITY } from '../../../domain/limits.ts';
import { insertion, selection } from '../entities/columns.ts';
import { AGENTS, OWNERS } from '../entities/owners.ts';
import { DEVICE_SIGN_INS, IDENTITIES, PROVIDER_LOGINS } from '../entities/sign-ins.ts';
import { deleteExpired, lessThanAgo, olderThan } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';

/** SQL by hand: a lock. */
const LOCK = `select ${selection(DEVICE_SIGN_INS, 'd')} from app.device_sign_ins d where code_hash = $1 for update`;

/**
 * SQL by hand: one statement decides a race. The identity comes first: the second of two callers waits for it and then
 * adds no owner. Its reference is checked at the end of the statement.
 */
const ADD_OWNER = `
  with identity as (
    insert into app.identities (issuer, subject, owner_id, created_at) values ($1, $2, $3, $7)
    on conflict (issuer, subject) do nothing
    returning owner_id
  )
  insert into app.owners (owner_id, password_hash, role, tier, created_at)
  select owner_id, $4, $5, $6, $7 from identity
  returning owner_id`;

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
        return (await own.rows(ADD_AGENT, [atMost, ...NEW_AGENT.values(agent)])).length > 0;
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

/** $1 is how many agents the owner may have. */
const NEW_AGENT = insertion(AGENTS, 2);

/** SQL by hand: a count and an insert in one statement. */
const ADD_AGENT = `
  insert into app.agents (${NEW_AGENT.names.join(', ')})
  select ${NEW_AGENT.params}
  where (select count(*) from app.agents where owner_id = ${NEW_AGENT.param('owner_id')} and archived_at is null) < $1
  returning agent_id`;

export function postgresIdentities(sql: Sql): IdentityStore {
  return {
    find: ({ issuer, subject }): Promise<Owner | null> =>
      sql.tables
        .createQueryBuilder(OWNERS, 'o')
        .innerJoin(IDENTITIES.options.name, 'i', 'i.owner_id = o.owner_id')
        .where('i.issuer = :issuer and i.subject = :subject', { issuer, subject })
        .getOne(),

    async addOwner({ issuer, subject }, owner) {
      const { owner_id, password_hash, role, tier, created_at } = owner;
      if (owner.email !== null) throw new Error('An owner of the identity provider has no email of ours.');
      const values = [issuer, subject, owner_id, password_hash, role, tier, created_at];
      return (await sql.rows(ADD_OWNER, values)).length > 0;
    },
  };
}

export function postgresProviderLogins(sql: Sql): ProviderLoginStore {
  return {
    async add(login) {
      await sql.tables.insert(PROVIDER_LOGINS, login);
    },

    async take(state_hash, browser_hash) {
      const own = { state_hash, browser_hash, created_at: lessThanAgo(IDENTITY.loginLife) };
      const taking = sql.tables.createQueryBuilder().delete().from(PROVIDER_LOGINS).where(own).returning('*');
      const [login]: readonly ProviderLogin[] = (await taking.execute()).raw;
      return login ?? null;
    },

    prune: () => deleteExpired(sql, olderThan('provider_logins', 'created_at', IDENTITY.loginLife)),
  };
}

export function postgresDeviceSignIns(sql: Sql): DeviceSignInStore {
  return {
    async add(signIn) {
      await sql.tables.insert(DEVICE_SIGN_INS, signIn);
    },

    transition: (code_hash, rule) =>
      sql.atomically(async (own) => {
        const [before] = await own.rows<DeviceSignIn>(LOCK, [code_hash]);
        // Of one statement with the lock the time would be that before the wait for it.
        const [clock] = await own.rows<{ at: Date }>('select app.now() as at');
        if (!before || !clock) return null;
        const { signIn, answer } = rule(before, clock.at);
        const locked = { code_hash, status: before.status };
        const written = affected(await own.tables.update(DEVICE_SIGN_INS, locked, progressOf(signIn)));
        if (written !== 1) throw new Error('A sign-in has changed under its lock.');
        return answer;
      }),

    prune: () => deleteExpired(sql, olderThan('device_sign_ins', 'expires_at', DEVICE_FLOW.keep)),
  };
}

/** The columns that a rule can change. */
function progressOf({ status, owner_id, poll_every, next_poll_at, lease_token, lease_until }: DeviceSignIn) {
  return { status, owner_id, poll_every, next_poll_at, lease_token, lease_until };
}
