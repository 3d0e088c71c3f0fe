-- Accounts: what admins change of them, what no statement gives itself, and the security events, audit log and mails of owners.

-- What admins do to accounts over HTTP, for the service's role, which has no right to these columns: AccountControl of
-- domain/accounts/operators/owner-administration.ts (docs/adr/0027-admins-control-accounts-by-functions.md). Roles are given,
-- and owners removed, by the owner of the schema alone.

-- Whether the admin may change the account; waits for a change of its row that is under way.
create or replace function app.require_account_control(account uuid, admin uuid) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from app.owners where owner_id = admin and role = 'admin' and suspended_at is null for share) then
    raise exception '% is no admin', admin using errcode = '42501';
  end if;
  if exists (select from app.owners where owner_id = account and role = 'admin' for no key update) then
    raise exception '% is an admin: only the owner of the schema changes that account', account using errcode = '42501';
  end if;
  perform set_config('stancebook.account_admin', admin::text, true);
end $$;

create or replace function app.admin_sets_tier(account uuid, new_tier text, admin uuid) returns boolean language plpgsql
security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.require_account_control(account, admin);
  update app.owners set tier = new_tier where owner_id = account and tier <> new_tier;
  return found;
end $$;

create or replace function app.admin_suspends(account uuid, admin uuid, out sessions_ended integer, out keys text[])
returns setof record language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.require_account_control(account, admin);
  update app.owners set suspended_at = app.now() where owner_id = account and suspended_at is null;
  if not found then return; end if;
  delete from app.sessions where owner_id = account;
  get diagnostics sessions_ended = row_count;
  delete from app.one_time_links where owner_id = account;
  with revoked as (
    update app.api_keys set revoked_at = app.now(), suspended = true where owner_id = account and revoked_at is null
    returning key_prefix)
  select coalesce(array_agg(key_prefix order by key_prefix collate "C"), '{}') into keys from revoked;
  return next;
end $$;

create or replace function app.admin_resumes(account uuid, admin uuid, out keys text[])
returns setof text[] language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.require_account_control(account, admin);
  update app.owners set suspended_at = null where owner_id = account and suspended_at is not null;
  if not found then return; end if;
  with restored as (
    update app.api_keys set revoked_at = null, suspended = false
    where owner_id = account and suspended and (select o.erases_at from app.owners o where o.owner_id = account) is null
    returning key_prefix)
  select coalesce(array_agg(key_prefix order by key_prefix collate "C"), '{}') into keys from restored;
  return next;
end $$;

-- Runs at the commit: the entry is the last statement of its transaction. Fires for what the functions above do: for the
-- owner of the schema the setting is not there.
create or replace function app.require_account_entry() returns trigger language plpgsql as $$
begin
  if exists (select from app.audit_log l where l.subject = new.owner_id::text
      and l.actor = current_setting('stancebook.account_admin')
      and l.action in ('set_tier', 'suspend_owner', 'resume_owner') and l.xmin = pg_current_xact_id()::xid) then
    return null;
  end if;
  raise exception 'UPDATE on owners is refused: no entry of the audit log says who changes %', new.owner_id
    using errcode = '42501';
end $$;
drop trigger if exists require_account_entry on app.owners;
create constraint trigger require_account_entry after update on app.owners deferrable initially deferred for each row
  when ((old.tier, old.suspended_at) is distinct from (new.tier, new.suspended_at)
    and coalesce(current_setting('stancebook.account_admin', true), '') <> '')
  execute function app.require_account_entry();

-- An owner is added without rights that only operators give; a role that does not own the schema could else add an admin
-- where it may not update one. The trigger fires for nodes of every release.
create or replace function app.refuse_given_rights() returns trigger language plpgsql as $$
begin
  if not pg_has_role((select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'INSERT on owners is refused: only the owner of the schema gives % the role % and the tier %', new.owner_id,
      new.role, new.tier using errcode = '42501';
  end if;
  return new;
end $$;
create or replace trigger refuse_given_rights before insert on app.owners for each row
  when (new.role <> 'owner' or new.tier <> 'free') execute function app.refuse_given_rights();
alter table app.owners enable always trigger refuse_given_rights;

-- A revoked key stays revoked. Only the owner of the schema, which ends the suspension of an account, may restore one.
create or replace function app.refuse_restored_key() returns trigger language plpgsql as $$
begin
  if not pg_has_role((select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'UPDATE on api_keys is refused: % was revoked', old.key_prefix using errcode = '42501';
  end if;
  return new;
end $$;
create or replace trigger refuse_restored_key before update of revoked_at on app.api_keys for each row
  when (old.revoked_at is not null) execute function app.refuse_restored_key();
alter table app.api_keys enable always trigger refuse_restored_key;

-- Security events are added at the time of the database, counted up, and removed when they are old; no role does anything
-- else with them (`SecurityEventStore` of domain/accounts/security-event.ts).

create or replace function app.guard_security_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.at := app.now();
    new.last_at := new.at;
    new.count := 1;
    return new;
  end if;
  if tg_op = 'UPDATE' and new.count = old.count + 1
    and to_jsonb(new) - array['count', 'last_at'] = to_jsonb(old) - array['count', 'last_at'] then
    new.last_at := greatest(old.last_at, app.now());
    return new;
  end if;
  -- SECURITY_EVENTS.leastKept
  if tg_op = 'DELETE' and old.last_at <= app.now() - interval '30 days' then
    return old;
  end if;
  raise exception '% on security_events is refused: events are added, counted up, and deleted after 30 days', tg_op
    using errcode = '42501';
end $$;
create or replace trigger guard before insert or update or delete on app.security_events for each row
  execute function app.guard_security_event();
create or replace trigger guard_whole before truncate on app.security_events
  execute function app.refuse_change('its rows are added, counted up, and deleted after 30 days');
alter table app.security_events enable always trigger guard, enable always trigger guard_whole;

-- The audit log is a chain: each entry seals its content and the seal of the entry before it. `sealOf` of
-- domain/audit-log.ts computes the same, so that a check trusts no function of the database.

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
