import { ownerGone } from '../../domain/accounts/owner-gone.ts';
import type { SessionStore } from '../../domain/accounts/session-store.ts';
import type { OwnerCaller } from '../../domain/caller.ts';
import { SESSION } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';
import type { HearTime } from './clock.ts';
import type { Sql } from './sql.ts';

/** What is answered of the time beside a session is passed on to `hear`. */
export function postgresSessions(sql: Sql, hear: HearTime): SessionStore {
  return {
    async add({ session_hash, owner_id, created_at }) {
      if ((await sql.rows(ADD, [session_hash, owner_id, created_at])).length === 0) throw ownerGone();
    },

    async authenticate(session_hash) {
      const [row] = await sql.rows<SessionRow>(AUTHENTICATE, [session_hash], 'authenticate session');
      if (!row) return null;
      const { at, ...owner } = row;
      hear(at);
      return { credential: 'legacy_session', ...owner };
    },

    async destroy(session_hash) {
      return (await sql.rows(DESTROY, [session_hash])).length > 0;
    },

    async destroyOf(owner_id, except) {
      return (await sql.rows(DESTROY_OF, [owner_id, except])).length;
    },

    async prune() {
      return (await sql.rows(PRUNE)).length;
    },
  };
}

interface SessionRow extends Omit<OwnerCaller, 'credential'> {
  readonly at: Date;
}

const ADD = `
  insert into app.sessions (session_hash, owner_id, created_at, last_seen_at)
  select $1, owner_id, $3::timestamptz, $3::timestamptz from app.owners where owner_id = $2 for key share
  returning session_hash`;

const [IDLE, ABSOLUTE, NOTE_EVERY] = [SESSION.idle, SESSION.absolute, SESSION.noteEvery].map(
  (millis) => `interval '${millis / SECOND} seconds'`,
);

/** An update, and no upsert: of a row that a logout has just removed nothing is left to be noted. */
const AUTHENTICATE = `
  with clock as materialized (select app.now() as at),
  session as (
    select s.session_hash, o.owner_id, o.role, o.tier, clock.at
    from clock, app.sessions s join app.owners o on o.owner_id = s.owner_id
    where s.session_hash = $1 and s.last_seen_at > clock.at - ${IDLE} and s.created_at > clock.at - ${ABSOLUTE}
  ),
  noted as (
    update app.sessions s set last_seen_at = session.at from session
    where s.session_hash = session.session_hash and s.last_seen_at <= session.at - ${NOTE_EVERY}
  )
  select owner_id, role, tier, at from session`;

const DESTROY = 'delete from app.sessions where session_hash = $1 returning session_hash';

const DESTROY_OF = `
  delete from app.sessions where owner_id = $1 and session_hash is distinct from $2::bytea returning session_hash`;

const PRUNE = `
  delete from app.sessions s using (select app.now() as at) clock
  where s.last_seen_at <= clock.at - ${IDLE} or s.created_at <= clock.at - ${ABSOLUTE}
  returning s.session_hash`;
