import { MoreThan } from 'typeorm';
import type { LoginStore } from '../../../domain/accounts/sign-in/login-store.ts';
import { LOGIN } from '../../../domain/limits.ts';
import { LOGIN_ATTEMPTS } from '../entities/login-attempts.ts';
import { OWNERS } from '../entities/owners.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import { affected, type Sql } from '../kit/sql.ts';

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
