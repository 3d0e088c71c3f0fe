-- How a process sees the disk of the database; null in the reports of earlier releases.
alter table app.service_processes add column disk jsonb;
comment on column app.service_processes.disk is 'How it sees the disk of the database: its state, and the free bytes where it can see them.';

do $$
begin
  execute format('grant update (disk) on app.service_processes to %I', current_setting('stancebook.service_role'));
end $$;
