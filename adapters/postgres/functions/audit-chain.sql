-- The audit log is a chain: each entry seals its content and the seal of the entry before it. `sealOf` of
-- domain/audit-chain.ts computes the same, so that a check trusts no function of the database.

-- The form of times in seals, statements and receipts.
create or replace function app.rfc3339(at timestamptz) returns text language sql stable
  as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

create or replace function app.audit_seal(e app.audit_log) returns text stable language sql
  return encode(sha256(convert_to(concat_ws(e'\n', 'stancebook/audit/1', e.previous, e.seq::text, app.rfc3339(e.at),
    to_json(e.actor)::text, to_json(e.action)::text, to_json(e.subject)::text, e.detail::text), 'UTF8')), 'hex');

-- The lock is held until the transaction ends, so each entry is written as the last statement of its transaction. It also
-- makes the numbers those of the chain, whatever an inserting role sends.
create or replace function app.chain_audit_entry() returns trigger language plpgsql as $$
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
create or replace trigger chain before insert on app.audit_log for each row execute function app.chain_audit_entry();
alter table app.audit_log enable always trigger chain;
