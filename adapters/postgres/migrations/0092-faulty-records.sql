-- What a process reports of the records that it cannot read in full. Null of a node that does not look for them. And a right
-- that app.count_moves alone needs, which has it from the owner of the schema from this release on, for older nodes too.

alter table app.service_processes add column faulty_records jsonb;
comment on column app.service_processes.faulty_records is
  'FaultyRecords of domain/service-processes.ts; null of a release that does not look for them.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (faulty_records) on app.service_processes to %I', service);
  if service::name <> (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'app') then
    execute format('revoke update (move) on app.cohort_tail from %I', service);
  end if;
end $$;
