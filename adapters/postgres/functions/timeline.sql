-- The timeline of the log that this server writes (docs/scaling.md).

create or replace function app.own_timeline() returns bigint language sql volatile
  return ('x' || lpad(substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), 16, '0'))::bit(64)::bigint;
