import type { LoginStore } from '../../../domain/accounts/login-store.ts';
import { LOGIN } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresLogins(sql: Sql): LoginStore {
  return {
    async count(account_hash, atMost) {
      const [counted] = await sql.rows<CountRow>(COUNT, [account_hash, atMost]);
      if (!counted) throw new Error('The database did not tell the window.');
      return { account_hash, ...counted };
    },

    async takeBack({ account_hash, window_start }) {
      await sql.rows(TAKE_BACK, [account_hash, window_start]);
    },

    async forget(account_hash) {
      await sql.rows('delete from app.login_attempts where account_hash = $1', [account_hash]);
    },

    async prune() {
      return (await sql.rows(PRUNE)).length;
    },

    async confirm(owner_id, password_hash) {
      return (await sql.rows(CONFIRM, [owner_id, password_hash])).length > 0;
    },

    async change(owner_id, from, to) {
      return (await sql.rows(CHANGE, [owner_id, from, to])).length > 0;
    },
  };
}

interface CountRow {
  readonly admitted: boolean;
  readonly window_start: Date;
  readonly at: Date;
}

const WINDOW = `interval '${LOGIN.window / SECOND} seconds'`;

/** Of a full window nothing is returned; a row that waited for another one never goes back to an earlier window. */
const COUNT = `
  with clock as materialized (select app.now() as at, date_bin(${WINDOW}, app.now(), 'epoch') as window_start),
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

const TAKE_BACK = `
  update app.login_attempts set used = used - 1 where account_hash = $1 and window_start = $2 and used > 0`;

const PRUNE = `
  delete from app.login_attempts a using (select app.now() as at) clock where a.window_start <= clock.at - ${WINDOW}
  returning a.account_hash`;

/** The share lock holds off an update of the row, and its removal; a foreign key's own lock would let the update by. */
const CONFIRM = 'select owner_id from app.owners where owner_id = $1 and password_hash = $2 for share';

const CHANGE = `
  update app.owners set password_hash = $3 where owner_id = $1 and password_hash = $2 returning owner_id`;
