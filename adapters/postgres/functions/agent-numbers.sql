-- The row of an agent that numbers its submissions, and what the marks of their leaves are made of (docs/log-format.md).

create or replace function app.random_salt() returns bytea volatile language sql
  return sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
comment on function app.random_salt is '32 bytes; each UUID has 122 random bits.';

create or replace function app.hour_of(counts app.agent_submissions, asked timestamptz)
returns timestamptz immutable language sql
  return case when counts.hour > asked and counts.hour <= asked + interval '1 day' then counts.hour else asked end;
comment on function app.hour_of is
  'countedHour of domain/quotas/submit-limits.ts: the hour that counts a submission of an hour.';

create or replace function app.counted_hour(counts app.agent_submissions, asked timestamptz)
returns table (used int, bytes bigint) immutable language sql as $$
  select case when is_counted then counts.used else 0 end, case when is_counted then counts.bytes else 0 end
  from coalesce(counts.hour = app.hour_of(counts, asked), false) is_counted
$$;
comment on function app.counted_hour is
  'countedHour of domain/quotas/submit-limits.ts: what counts against a submission of an hour.';

-- Numbers have no gap, by any update of the row. A decision group takes several: GROUP_HORIZONS of domain/limits.ts. In a
-- function, since each statement would read the condition of a trigger anew, and a batch has one for each submission.
create or replace function app.guard_number() returns trigger language plpgsql as $$
begin
  if new.number between old.number + 1 and old.number + 8 and new.agent_id = old.agent_id and new.salt = old.salt then
    return new;
  end if;
  raise exception '% on % is refused: numbers have no gap', tg_op, tg_table_name using errcode = '42501';
end $$;
create or replace trigger number_grows before update on app.agent_submissions for each row
  execute function app.guard_number();
alter table app.agent_submissions enable always trigger number_grows;

-- domain/log/leaves/leaf.ts
create or replace function app.mark_of(agent_salt bytea, number int) returns bytea immutable strict language sql
  return sha256(convert_to(e'stancebook/mark/1\n', 'UTF8') || agent_salt || convert_to(number::text, 'UTF8'));

create or replace function app.numbered_producer(salt bytea, owner_id uuid, agent_id text, number int, agent_salt bytea)
returns bytea immutable strict language sql
  return sha256(convert_to(e'stancebook/producer/2\n', 'UTF8')
    || sha256(convert_to(e'stancebook/producer-salt/1\n', 'UTF8') || salt)
    || sha256(convert_to(e'stancebook/owner/1\n', 'UTF8') || salt || convert_to(owner_id::text, 'UTF8'))
    || convert_to(agent_id || '/' || number || '/' || encode(app.mark_of(agent_salt, number + 1), 'hex'), 'UTF8'));
