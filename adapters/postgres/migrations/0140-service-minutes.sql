-- The figures of the service of the last day, one row a minute.

create table app.service_minutes (
  at timestamptz(3) primary key,
  processes integer not null,
  durations integer[] not null,
  disk_free double precision,
  due integer not null,
  log_size double precision,
  log_waits integer not null
);
comment on table app.service_minutes is 'All processes add to one row; a minute without a row is one in which none did.';
comment on column app.service_minutes.durations is 'Replies by their class of duration (domain/service-minutes.ts).';

do $$
begin
  execute format('grant select, insert, delete on app.service_minutes to %I', current_setting('stancebook.service_role'));
  execute format('grant update (processes, durations, disk_free, due, log_size, log_waits) on app.service_minutes to %I',
    current_setting('stancebook.service_role'));
end $$;
