-- The atlas as it was built last.

-- json keeps numbers as they were written.
create table app.atlas (
  only_one boolean primary key default true check (only_one),
  generated_at timestamptz(3) not null,
  records bigint not null check (records >= 0),
  min_producers int not null,
  min_samples int not null,
  expired boolean not null default false,
  network json not null
);
comment on column app.atlas.records is 'Public records when it was built.';
comment on column app.atlas.expired is 'An operator asked for another one.';

create table app.atlas_seeds (
  place int primary key,
  record_id text not null,
  instrument text not null,
  departures bigint not null,
  nodes text[] not null,
  seed json not null
);
comment on table app.atlas_seeds is 'Public records that the atlas shows, in their order.';
comment on column app.atlas_seeds.departures is 'Graded records of the instrument that were under quarantine when it was built: once there are more or fewer, the counts told are not those of the cohort.';

create index departed_by_instrument on app.decisions (instrument)
  where lifecycle_state = 'quarantined' and evaluated_at is not null;

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.atlas, app.atlas_seeds to %I', service);
end $$;
