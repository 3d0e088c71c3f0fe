-- When a record was last made public, and by which transaction: pages of cohorts are as of one moment.

create or replace function app.note_listing() returns trigger language plpgsql as $$
begin
  new.listed_at := case when app.is_public(new.lifecycle_state) then app.now() end;
  new.listed_xid := case when app.is_public(new.lifecycle_state) then pg_current_xact_id() end;
  return new;
end $$;
create or replace trigger note_listing before update on app.decisions for each row
  when (app.is_public(old.lifecycle_state) <> app.is_public(new.lifecycle_state))
  execute function app.note_listing();
create or replace trigger note_first_listing before insert on app.decisions for each row
  when (app.is_public(new.lifecycle_state)) execute function app.note_listing();
