-- Submissions are events that are read from the records, in the order of the transactions that received them.

create table app.feed_start (
  only_one boolean not null default true primary key check (only_one),
  position bigint not null
);
comment on table app.feed_start is
  'Records whose transaction is not behind the position came with a restore, or were received by a release before this table: their submissions come first in the feed.';
insert into app.feed_start (position) values (pg_current_xact_id()::text::bigint);

do $$
begin
  execute format('grant select on app.feed_start to %I', current_setting('stancebook.service_role'));
end $$;
