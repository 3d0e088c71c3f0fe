-- When a record was last made public, and by which transaction: pages of cohorts are as of one moment.

create or replace function app.note_listing() returns trigger language plpgsql as $$
begin
  new.listed_at := case when new.lifecycle_state = 'evaluated' then app.now() end;
  new.listed_xid := case when new.lifecycle_state = 'evaluated' then pg_current_xact_id() end;
  return new;
end $$;
create or replace trigger note_listing before update on app.decisions for each row
  when (old.lifecycle_state is distinct from new.lifecycle_state
    and 'evaluated' in (old.lifecycle_state, new.lifecycle_state))
  execute function app.note_listing();
create or replace trigger note_first_listing before insert on app.decisions for each row
  when (new.lifecycle_state = 'evaluated') execute function app.note_listing();
