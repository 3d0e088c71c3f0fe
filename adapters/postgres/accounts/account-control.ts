import type {
  AccountControl,
  AccountReader,
  ListedAccount,
  Suspended,
} from '../../../domain/accounts/operators/owner-administration.ts';
import { foldEmail } from '../../../domain/accounts/owner.ts';
import { agentsOf } from '../decisions/track-counts.ts';
import type { Sql } from '../kit/sql.ts';

/** Through functions that run with the rights of the schema's owner (functions/accounts.sql). */
export function postgresAccountControl(sql: Sql): AccountControl {
  return {
    async setTier(owner_id, tier, admin) {
      const [row] = await sql.rows<{ changed: boolean }>(SET_TIER, [owner_id, tier, admin]);
      return row?.changed ?? false;
    },
    async suspend(owner_id, admin) {
      const [row] = await sql.rows<Suspended>(SUSPEND, [owner_id, admin]);
      return row ?? null;
    },
    async resume(owner_id, admin) {
      const [row] = await sql.rows<{ keys: readonly string[] }>(RESUME, [owner_id, admin]);
      return row?.keys ?? null;
    },
  };
}

const SET_TIER = 'select app.admin_sets_tier(account => $1, new_tier => $2, admin => $3) as changed';
const SUSPEND = 'select sessions_ended, keys from app.admin_suspends(account => $1, admin => $2)';
const RESUME = 'select keys from app.admin_resumes(account => $1, admin => $2)';

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
