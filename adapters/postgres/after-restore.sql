-- Run once as stancebook_owner after pg_restore (docs/backup.md).

-- Transaction ids are meaningless in another cluster: every decision was public before the first transaction here.
update app.decisions set listed_xid = '3' where listed_xid is not null;
-- Events from before the restore come first, in their order.
update app.events set position = 0;
do $$
begin
  -- A dump of an earlier release gets this table with its migrations.
  if to_regclass('app.feed_start') is not null then
    update app.feed_start set position = pg_current_xact_id()::text::bigint;
  end if;
end
$$;

-- Only the tables of this role: analyze alone warns about each system catalog that it may not read. None that is empty: the
-- server would read a partition of a later month without its index until it analyzes it again.
do $$
declare
  own regclass;
begin
  for own in select oid from pg_class where relkind in ('r', 'm') and relowner = current_user::regrole
      and pg_relation_size(oid) > 0 loop
    execute format('analyze %s', own);
  end loop;
end
$$;
