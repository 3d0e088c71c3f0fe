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
