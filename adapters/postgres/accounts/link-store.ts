import type { LinkStore, StoredLink } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: each statement also judges the time of the database, one the owner. */
export function postgresLinks(sql: Sql): LinkStore {
  const one = async (text: string, values: readonly unknown[]) => (await sql.rows<StoredLink>(text, values))[0] ?? null;
  return {
    async put({ token_hash, owner_id, purpose, bound_to, mailed }, life) {
      const link = await one(PUT, [token_hash, owner_id, purpose, bound_to, mailed, interval(life)]);
      return link?.expires_at ?? null;
    },

    find: (token_hash, purpose) => one(`select * ${VALID}`, [token_hash, purpose]),
    redeem: (token_hash, purpose) => one(REDEEM, [token_hash, purpose]),
    prune: () => deleteExpired(sql, olderThan('one_time_links', 'expires_at', 0)),
  };
}

/** The lock holds off a suspension, so that none leaves the link behind. */
const PUT = `
  insert into app.one_time_links as l (token_hash, owner_id, purpose, bound_to, mailed, created_at, expires_at)
  select $1, o.owner_id, $3, $4, $5, app.now(), app.now() + $6::interval
  from (select owner_id from app.owners where owner_id = $2 and suspended_at is null for share) o
  on conflict (owner_id, purpose) do update
    set token_hash = excluded.token_hash, bound_to = excluded.bound_to, mailed = excluded.mailed,
      created_at = excluded.created_at, expires_at = excluded.expires_at
  returning *`;

/** A suspended owner has none: the suspension removed them, and the lock of `PUT` lets none follow. */
const VALID = 'from app.one_time_links where token_hash = $1 and purpose = $2 and expires_at > app.now()';

/** The second of two deletions waits for the first, and finds no row then. */
const REDEEM = `delete ${VALID} returning *`;
