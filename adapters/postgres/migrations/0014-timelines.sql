-- The timelines of the log on which a process has read from replicas. Each row is written by a primary that was on it, so
-- that a replica that has the row has replayed that primary's log, and not one that another primary wrote meanwhile.

create table app.timelines (timeline bigint primary key);
create function app.own_timeline() returns bigint language sql volatile
  return ('x' || lpad(substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), 16, '0'))::bit(64)::bigint;
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert on app.timelines to %I', service);
  execute format('grant execute on function app.own_timeline to %I', service);
end $$;
