-- Which functions, triggers and views the database has: those of adapters/postgres/functions, applied after the migrations.

create table app.applied_functions (
  only_one boolean primary key default true check (only_one),
  edition int not null check (edition > 0),
  hash text not null,
  applied_at timestamptz(3) not null
);
comment on column app.applied_functions.edition is 'Lines of adapters/postgres/functions/editions.txt: a release of a lower edition leaves the functions as they are.';
comment on column app.applied_functions.hash is 'SHA-256 of the files.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select on app.applied_functions to %I', service);
end $$;
