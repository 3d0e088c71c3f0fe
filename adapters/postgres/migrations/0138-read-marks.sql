-- Up to where an owner has read what happened.

alter table app.owners add column events_read jsonb;
comment on column app.owners.events_read is
  'A place of the feed, and when the feed ended there; null: the owner has read nothing.';

do $$
begin
  execute format('grant update (events_read) on app.owners to %I', current_setting('stancebook.service_role'));
end $$;
