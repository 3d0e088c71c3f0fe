-- The audit log becomes a chain: each entry seals its content and the seal of the entry before it.

alter table app.audit_log add column previous text, add column seal text;
comment on column app.audit_log.previous is 'The seal of the entry before; 64 zeros for the first.';
comment on column app.audit_log.seal is 'SHA-256 of the entry with previous, hex.';

create function app.audit_seal(e app.audit_log) returns text stable language sql
  return encode(sha256(convert_to(concat_ws(e'\n', 'stancebook/audit/1', e.previous, e.seq::text, app.rfc3339(e.at),
    to_json(e.actor)::text, to_json(e.action)::text, to_json(e.subject)::text, e.detail::text), 'UTF8')), 'hex');

-- The entries that are there are sealed as they are: nothing proves what they were before.
alter table app.audit_log disable trigger evidence;
do $$
declare
  entry app.audit_log;
  last text := repeat('0', 64);
begin
  for entry in select * from app.audit_log order by seq loop
    entry.previous := last;
    last := app.audit_seal(entry);
    update app.audit_log set previous = entry.previous, seal = last where seq = entry.seq;
  end loop;
end $$;
alter table app.audit_log enable always trigger evidence;
alter table app.audit_log alter column previous set not null, alter column seal set not null,
  add constraint audit_log_previous_key unique (previous);

-- From now on for the nodes of every release; functions/audit-chain.sql has it as it is today.
create function app.chain_audit_entry() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7382614914);
  select l.seq + 1, l.seal into new.seq, new.previous from app.audit_log l order by l.seq desc limit 1;
  if not found then
    new.seq := 1;
    new.previous := repeat('0', 64);
  end if;
  new.at := app.now();
  new.seal := app.audit_seal(new);
  return new;
end $$;
create trigger chain before insert on app.audit_log for each row execute function app.chain_audit_entry();
alter table app.audit_log enable always trigger chain;
