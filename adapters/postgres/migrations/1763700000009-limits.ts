import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADMIT } from './admit.ts';
import { SPEND } from './spend.ts';

/** What counts requests and daily pools exactly, for any number of processes (interface.md section 8). */
export class Limits1763700000009 implements MigrationInterface {
  readonly name = 'Limits1763700000009';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [CLOCK, POOLS, ADMISSION, SPEND, ADMIT, GRANTS]) await runner.query(sql);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not taken back: restore a backup instead.');
  }
}

const CLOCK = `
create table app.limits_floor (
  only_one boolean primary key default true check (only_one),
  at timestamptz(3) not null
);
insert into app.limits_floor (at) values ('-infinity');
comment on table app.limits_floor is 'Counters from before it have been forgotten, so no window and no day before it opens again.';

create function app.limits_now() returns timestamptz language sql volatile
  as $$ select greatest(app.now(), f.at) from app.limits_floor f $$;
comment on function app.limits_now() is 'The clock of windows and days: app.now(), but never before what has been forgotten.';
`;

/** The pool of checks, too, stands in the one table: a decision's has its record_id. */
const POOLS = `
drop table app.quota_checks;
alter table app.quota_days
  add column record_id text not null default '',
  add column base int not null default 0,
  drop constraint quota_days_pkey,
  add primary key (owner_id, day, pool, record_id),
  drop constraint quota_days_pool_check,
  add check (pool in ('query', 'read', 'check')),
  add check ((pool = 'check') = (record_id <> '')),
  add check (used <= base + credit);
-- Room for new versions of a row beside it: no index changes when a request is counted.
alter table app.rate_windows set (fillfactor = 50);
alter table app.quota_days set (fillfactor = 70);
comment on column app.quota_days.base is 'What the pool held without credit when a unit was last taken.';
`;

const ADMISSION = `
-- A request that asked to be let in, and what became of it; what is not proven or not spent is null.
create type app.admission as (
  ordinal int,
  verdict text,
  told_at timestamptz,
  owner_id uuid,
  agent_id text,
  key_prefix text,
  permission_mode text,
  role text,
  tier text,
  window_of text,
  per_second int,
  per_minute int,
  rate_remaining int,
  rate_reset timestamptz,
  pool text,
  record_id text,
  base int,
  units int,
  quota_day date,
  quota_used int,
  quota_credit int
);
`;

const GRANTS = `
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant execute on all functions in schema app to %I', service);
  execute format('grant select, update on app.limits_floor to %I', service);
end $$;
`;
