import { ownerGone } from '../../../domain/accounts/owner-gone.ts';
import type { SessionStore } from '../../../domain/accounts/session-store.ts';
import { SESSION } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresSessions(sql: Sql): SessionStore {
  return {
    async add({ session_hash, owner_id, created_at }) {
      if ((await sql.rows(ADD, [session_hash, owner_id, created_at])).length === 0) throw ownerGone();
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

const ADD = `
  insert into app.sessions (session_hash, owner_id, created_at, last_seen_at)
  select $1, owner_id, $3::timestamptz, $3::timestamptz from app.owners where owner_id = $2 for key share
  returning session_hash`;

const [IDLE, ABSOLUTE] = [SESSION.idle, SESSION.absolute].map((millis) => `interval '${millis / SECOND} seconds'`);

const DESTROY = 'delete from app.sessions where session_hash = $1 returning session_hash';

const DESTROY_OF = `
  delete from app.sessions where owner_id = $1 and session_hash is distinct from $2::bytea returning session_hash`;

const PRUNE = `
  delete from app.sessions s using (select app.now() as at) clock
  where s.last_seen_at <= clock.at - ${IDLE} or s.created_at <= clock.at - ${ABSOLUTE}
  returning s.session_hash`;
