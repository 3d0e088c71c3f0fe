import { Not } from 'typeorm';
import type { ApiKey } from '../../../domain/accounts/keys/api-key.ts';
import type {
  AccountControl,
  AccountReader,
  ListedAccount,
  OwnerAdministration,
  Suspended,
} from '../../../domain/accounts/operators/owner-administration.ts';
import { foldEmail } from '../../../domain/accounts/owner.ts';
import { agentsOf } from '../decisions/track-counts.ts';
import { OWNERS } from '../entities/owners.ts';
import { SESSIONS } from '../entities/sign-ins.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { removeDue } from './erasure-store.ts';
import { accountOf } from './owner-data.ts';

/** Its writes need the rights of the schema's owner. */
export function postgresOwnerAdministration(sql: Sql): OwnerAdministration {
  return {
    async setRole(owner_id, role) {
      return affected(await sql.tables.update(OWNERS, { owner_id, role: Not(role) }, { role })) > 0;
    },

    async setTier(owner_id, tier) {
      return affected(await sql.tables.update(OWNERS, { owner_id, tier: Not(tier) }, { tier })) > 0;
    },

    suspend: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(SUSPEND, [owner_id])).length === 0) return null;
        const sessions_ended = affected(await own.tables.delete(SESSIONS, { owner_id }));
        await own.rows(DROP_LINKS, [owner_id]);
        return { sessions_ended, keys: await prefixes(own, SUSPEND_KEYS, owner_id) };
      }),

    resume: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(RESUME, [owner_id])).length === 0) return null;
        return prefixes(own, RESTORE_KEYS, owner_id);
      }),

    remove: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK, [owner_id])).length === 0) return null;
        const account = await accountOf(own, owner_id);
        await own.rows(DUE_NOW, [owner_id]);
        return (await removeDue(own, owner_id)) ? account : null;
      }),
  };
}

async function prefixes(sql: Sql, text: string, owner_id: string): Promise<readonly string[]> {
  const keys = await sql.rows<Pick<ApiKey, 'key_prefix'>>(text, [owner_id]);
  return keys.map(({ key_prefix }) => key_prefix).toSorted();
}

/** SQL by hand: the clock, and updates of several rows that return their names. Whatever adds to an owner locks this row. */
const SUSPEND = `
  update app.owners set suspended_at = app.now() where owner_id = $1 and suspended_at is null returning owner_id`;

const DROP_LINKS = 'delete from app.one_time_links where owner_id = $1';

/** A submission holds its key until it commits, so that none commits after the suspension. */
const SUSPEND_KEYS = `
  update app.api_keys set revoked_at = app.now(), suspended = true where owner_id = $1 and revoked_at is null
  returning key_prefix`;

const RESUME = `
  update app.owners set suspended_at = null where owner_id = $1 and suspended_at is not null returning owner_id`;

const RESTORE_KEYS = `
  update app.api_keys set revoked_at = null, suspended = false
  where owner_id = $1 and suspended and (select erases_at from app.owners where owner_id = $1) is null
  returning key_prefix`;

/** SQL by hand: a lock. Every insert of a row that goes with the owner locks this row. */
const LOCK = 'select from app.owners where owner_id = $1 for update';

const DUE_NOW = 'update app.owners set erases_at = app.now() where owner_id = $1';

/** Through functions that run with the rights of the schema's owner (functions/accounts.sql). */
export function postgresAccountControl(sql: Sql): AccountControl {
  return {
    async setTier(owner_id, tier, admin) {
      const [row] = await sql.rows<{ changed: boolean }>(SET_TIER, [owner_id, tier, admin]);
      return row?.changed ?? false;
    },
    async suspend(owner_id, admin) {
      const [row] = await sql.rows<Suspended>(ADMIN_SUSPENDS, [owner_id, admin]);
      return row ?? null;
    },
    async resume(owner_id, admin) {
      const [row] = await sql.rows<{ keys: readonly string[] }>(ADMIN_RESUMES, [owner_id, admin]);
      return row?.keys ?? null;
    },
  };
}

const SET_TIER = 'select app.admin_sets_tier(account => $1, new_tier => $2, admin => $3) as changed';
const ADMIN_SUSPENDS = 'select sessions_ended, keys from app.admin_suspends(account => $1, admin => $2)';
const ADMIN_RESUMES = 'select keys from app.admin_resumes(account => $1, admin => $2)';

export function postgresAccounts(sql: Sql): AccountReader {
  return {
    list: ({ find = null, role = null, tier = null, suspended = null }, before, limit) => {
      const values = [find?.toLowerCase() ?? null, find && foldEmail(find), role, tier, suspended, before, limit];
      return sql.rows<ListedAccount>(LIST, values);
    },
  };
}

/** SQL by hand: counts. The number of decisions is that of stored counts: as fast for many as for few. */
const LIST = `
  with page as materialized (
    select owner_id, email, role, tier, created_at, suspended_at from app.owners
    where ($1::text is null or owner_id::text = $1 or starts_with(email_folded, $2))
      and ($3::text is null or role = $3) and ($4::text is null or tier = $4)
      and ($5::boolean is null or (suspended_at is not null) = $5) and ($6::uuid is null or owner_id < $6::uuid)
    order by owner_id desc limit $7
  )
  select o.*,
    (select count(*)::int from app.agents a where a.owner_id = o.owner_id and a.archived_at is null) as agents,
    (select count(*)::int from app.api_keys k where k.owner_id = o.owner_id and k.revoked_at is null) as keys,
    (select count(*)::int from app.sessions s where s.owner_id = o.owner_id) as sessions,
    (select count(*)::int from app.webhooks w where w.owner_id = o.owner_id) as webhooks,
    coalesce((select sum(c.n) from app.track_counts c where c.agent_id = any(${agentsOf('o.owner_id')})
      and c.facet = 'direction' and c.kind = 'received'), 0)::int as decisions
  from page o order by o.owner_id desc`;
