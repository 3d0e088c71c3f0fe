import { LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { activeOwner, type Owner } from '../../../domain/accounts/owner.ts';
import type { LoginStore } from '../../../domain/accounts/sign-in/login-store.ts';
import type { LinkStore, StoredLink } from '../../../domain/accounts/sign-in/one-time-link.ts';
import type { SessionStore, UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import { LOGIN, SESSION } from '../../../domain/limits.ts';
import { insertion } from '../entities/columns.ts';
import { OWNERS } from '../entities/owners.ts';
import { LOGIN_ATTEMPTS, SESSIONS } from '../entities/sign-ins.ts';
import { deleteExpired, interval, olderThan } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';

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

/**
 * SQL by hand: one statement counts and decides a race. A full window returns nothing; a row that waited for another one
 * never goes back to an earlier window.
 */
const COUNT = `
  with clock as materialized (select app.now() as at, date_bin($3::interval, app.now(), 'epoch') as window_start),
  counted as (
    insert into app.login_attempts as a (account_hash, window_start, used)
    select $1, clock.window_start, 1 from clock
    on conflict (account_hash) do update
      set used = case when excluded.window_start > a.window_start then 1 else a.used + 1 end,
        window_start = greatest(a.window_start, excluded.window_start)
      where excluded.window_start > a.window_start or a.used < $2
    returning a.window_start
  )
  select counted.window_start is not null as admitted, clock.at,
    coalesce(counted.window_start, clock.window_start) as window_start
  from clock left join counted on true`;

/** SQL by hand: a lock. It holds off an update of the row and its removal; a foreign key's own lock allows the update. */
const CONFIRM = 'select owner_id from app.owners where owner_id = $1 and password_hash = $2 for share';

export function postgresSessions(sql: Sql): SessionStore {
  return {
    async add(session) {
      const used = { ...session, last_seen_at: session.created_at };
      const values = [SESSION.perOwner - 1, ...NEW_SESSION.values(used)];
      activeOwner((await sql.rows<Pick<Owner, 'suspended_at'>>(ADD, values))[0]);
    },

    list: (owner_id): Promise<UsedSession[]> =>
      sql.tables.find(SESSIONS, { where: { owner_id }, order: { last_seen_at: 'desc', session_hash: 'asc' } }),

    find: (session_hash): Promise<UsedSession | null> => sql.tables.findOneBy(SESSIONS, { session_hash }),

    async destroy(session_hash) {
      return affected(await sql.tables.delete(SESSIONS, { session_hash })) > 0;
    },

    async destroyOf(owner_id, except) {
      const others = except === null ? {} : { session_hash: Not(except) };
      return affected(await sql.tables.delete(SESSIONS, { owner_id, ...others }));
    },

    async confirmRecent(session_hash, within) {
      return (await sql.rows(CONFIRM_RECENT, [session_hash, interval(within)])).length > 0;
    },

    async destroyByProvider({ owner_id, provider_session }, until) {
      if (owner_id === null && provider_session === null) throw new Error('Neither an owner nor a session is given.');
      const which = { ...(owner_id !== null && { owner_id }), ...(provider_session !== null && { provider_session }) };
      const began = { ...which, created_at: LessThanOrEqual(until) };
      const ending = sql.tables.createQueryBuilder().delete().from(SESSIONS).where(began).returning('owner_id');
      const ended: readonly Pick<UsedSession, 'owner_id'>[] = (await ending.execute()).raw;
      return ended.map((session) => session.owner_id);
    },

    prune: () => {
      const values = [interval(SESSION.idle), interval(SESSION.absolute)];
      return deleteExpired(sql, { table: 'sessions', condition: IS_OVER, values });
    },
  };
}

const IS_OVER = `
  last_seen_at <= (select app.now()) - $3::interval or created_at <= (select app.now()) - $4::interval`;

/** $1 is how many others stay. */
const NEW_SESSION = insertion(SESSIONS, 2);

/** SQL by hand: it locks the owner, which a suspension waits for, and ends the session that was unused for longest. */
const ADD = `
  with owner as materialized (select owner_id, suspended_at from app.owners where owner_id = ${NEW_SESSION.param('owner_id')} for share),
  unused as (
    delete from app.sessions where session_hash in (
      select session_hash from app.sessions where owner_id = ${NEW_SESSION.param('owner_id')}
      order by last_seen_at desc, session_hash offset $1)
  ),
  added as (
    insert into app.sessions (${NEW_SESSION.names.join(', ')})
    select ${NEW_SESSION.params} from owner where suspended_at is null
  )
  select suspended_at from owner`;

/** SQL by hand: a lock. It holds off the removal of the row, and no note of its use. */
const CONFIRM_RECENT = `
  select session_hash from app.sessions
  where session_hash = $1 and authenticated_at > (select app.now()) - $2::interval for key share`;

export function postgresLogins(sql: Sql): LoginStore {
  return {
    async count(account_hash, atMost, window = LOGIN.window) {
      const [counted] = await sql.rows<CountRow>(COUNT, [account_hash, atMost, interval(window)]);
      if (!counted) throw new Error('app.login_attempts: the count returned no row.');
      return { account_hash, ...counted };
    },

    async takeBack({ account_hash, window_start }) {
      const counted = { account_hash, window_start, used: MoreThan(0) };
      await sql.tables.update(LOGIN_ATTEMPTS, counted, { used: () => 'used - 1' });
    },

    async forget(account_hash) {
      await sql.tables.delete(LOGIN_ATTEMPTS, { account_hash });
    },

    prune: () => deleteExpired(sql, olderThan('login_attempts', 'window_start', LOGIN.keep)),

    async confirm(owner_id, password_hash) {
      return (await sql.rows(CONFIRM, [owner_id, password_hash])).length > 0;
    },

    async change(owner_id, from, to) {
      const change = { password_hash: to };
      return affected(await sql.tables.update(OWNERS, { owner_id, password_hash: from }, change)) > 0;
    },
  };
}

interface CountRow {
  readonly admitted: boolean;
  readonly window_start: Date;
  readonly at: Date;
}

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
