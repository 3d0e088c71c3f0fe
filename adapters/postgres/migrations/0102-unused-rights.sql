-- Rights that no statement of this release uses, and none of 0.5.0: the name of an agent and the job of a refresh stay as
-- they were stored.

do $$
declare service text := current_setting('stancebook.service_role');
begin
  if service::name <> (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'app') then
    execute format('revoke update (name) on app.agents from %I', service);
    execute format('revoke update (job_id) on app.instrument_refreshes from %I', service);
  end if;
end $$;
