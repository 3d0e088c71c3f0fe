-- When API keys were used, and the indexes of the audit log.

-- Apart from the keys: submissions lock those rows while they write, and a note of a use must not wait for them.
create table app.api_key_uses (
  key_prefix text primary key references app.api_keys on delete cascade,
  last_used_at timestamptz(3) not null
) with (fillfactor = 70);
insert into app.api_key_uses select key_prefix, last_used_at from app.api_keys where last_used_at is not null;
alter table app.api_keys drop column last_used_at;

create index on app.audit_log (subject, seq);
create index on app.audit_log (actor, seq);

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.api_key_uses to %I', service);
end $$;
