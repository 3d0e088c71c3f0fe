import { LessThanOrEqual, Not } from 'typeorm';
import { activeOwner } from '../../../domain/accounts/active-owner.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import type { SessionStore } from '../../../domain/accounts/sign-in/session-store.ts';
import { SESSION } from '../../../domain/limits.ts';
import { SESSIONS } from '../entities/sessions.ts';
import { deleteExpired } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import { affected, type Sql } from '../kit/sql.ts';

export function postgresSessions(sql: Sql): SessionStore {
  return {
    async add({ session_hash, owner_id, created_at, ...login }) {
      const { authenticated_at, network, client, provider_session, factor } = login;
      const others = SESSION.perOwner - 1;
      const origin = [authenticated_at, network, client, provider_session, factor];
      const values = [session_hash, owner_id, created_at, others, ...origin];
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

/** SQL by hand: it locks the owner, which a suspension waits for, and ends the session that was unused for longest. */
const ADD = `
  with owner as materialized (select owner_id, suspended_at from app.owners where owner_id = $2 for share),
  unused as (
    delete from app.sessions where session_hash in (
      select session_hash from app.sessions where owner_id = $2 order by last_seen_at desc, session_hash offset $4)
  ),
  added as (
    insert into app.sessions (session_hash, owner_id, created_at, last_seen_at, authenticated_at, network, client,
      provider_session, factor)
    select $1, owner_id, $3::timestamptz, $3::timestamptz, $5::timestamptz, $6, $7, $8, $9
    from owner where suspended_at is null
  )
  select suspended_at from owner`;

/** SQL by hand: a lock. It holds off the removal of the row, and no note of its use. */
const CONFIRM_RECENT = `
  select session_hash from app.sessions
  where session_hash = $1 and authenticated_at > (select app.now()) - $2::interval for key share`;
