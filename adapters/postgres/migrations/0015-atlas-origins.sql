-- Two views of the atlas: of realtime records, and of all. The old tables know nothing of the first, so they are made
-- anew, and the next sweep fills them. It also brings those of 0.4.0, which lack columns that were added to their
-- migration later, to what all others have.

-- json keeps numbers as they were written.
drop table app.atlas, app.atlas_seeds;

create table app.atlas (
  only_one boolean primary key default true check (only_one),
  generated_at timestamptz(3) not null,
  records bigint not null check (records >= 0),
  min_producers int not null,
  min_samples int not null,
  network_of_realtime json not null,
  network_of_all json not null
);
comment on column app.atlas.records is 'Public records when it was built.';

create table app.atlas_seeds (
  scope text not null check (scope in ('realtime', 'all')),
  place int not null,
  record_id text not null,
  instrument text not null,
  departures bigint not null,
  nodes text[] not null,
  seed json not null,
  primary key (scope, place)
);
comment on table app.atlas_seeds is 'Public records that the atlas shows, in their order.';
comment on column app.atlas_seeds.departures is 'Which graded records of the instrument and the scope were under quarantine when it was built, as one number: once they are others, the counts told are not those of the cohort.';

create table app.atlas_requests (at timestamptz(3) not null default app.now());
comment on table app.atlas_requests is 'Reasons for another atlas: an operator asked, or a public record left or came back. A build takes away those that it sees and no later one, without a lock that anybody else waits for.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.atlas, app.atlas_seeds to %I', service);
  execute format('grant select, insert, delete on app.atlas_requests to %I', service);
end $$;
