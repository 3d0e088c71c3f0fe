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
