-- The deletion of an owner ends their mails. The rows stay until they are pruned, without content and owner: an address gets no
-- more mails in an hour because its account was deleted and opened again.
create or replace function app.end_mail() returns trigger language plpgsql as $$
begin
  new.content := null;
  new.due_at := null;
  new.token := null;
  new.status := 'void';
  new.ended_at := app.now();
  return new;
end $$;
create or replace trigger end_mail before update of owner_id on app.mails for each row
  when (old.owner_id is not null and new.owner_id is null and old.status = 'pending') execute function app.end_mail();
alter table app.mails enable always trigger end_mail;
