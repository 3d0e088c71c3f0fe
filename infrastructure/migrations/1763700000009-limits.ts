import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What counts requests and daily pools exactly, for any number of processes (interface.md section 8). */
export class Limits1763700000009 implements MigrationInterface {
  readonly name = 'Limits1763700000009';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [CLOCK, GRANTS]) await runner.query(sql);
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

const GRANTS = `
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant execute on all functions in schema app to %I', service);
  execute format('grant select, update on app.limits_floor to %I', service);
end $$;
`;
