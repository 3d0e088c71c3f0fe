-- The service's role keeps no right that no statement of this release or of 0.4.0 uses. The role and the tier of an owner are
-- given, and an owner is removed, by commands of operators alone, which connect as the owner of the schema. Of a table with
-- updates, the role may update the columns that they set. A role that owns the schema gets back what earlier migrations took
-- from it: without, no owner could be removed.

do $$
declare
  service text := current_setting('stancebook.service_role');
  updated record;
begin
  if service::name = (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'app') then
    execute format('grant all on all tables in schema app to %I', service);
    return;
  end if;
  execute format('revoke update (role, tier) on app.owners from %I', service);
  execute format('revoke delete on app.owners from %I', service);
  for updated in select * from (values
      ('agent_counts', 'tallies, cached_at'),
      ('api_key_uses', 'last_used_at'),
      ('atlas', 'generated_at, records, min_producers, min_samples, owner_proof, network_of_all, network_of_realtime'),
      ('circuit_monitors', 'looked_at, below_since, above_since, trip_since, at_once'),
      ('cohort_cells', 'n, earliest, latest, owners, moves'),
      ('cohort_tail', 'move'),
      ('cooldowns', 'last_at, record_id'),
      ('device_sign_ins', 'status, owner_id, poll_every, next_poll_at, lease_token, lease_until'),
      ('idempotency', 'fingerprint, record_id, created_at'),
      ('instrument_refreshes', 'job_id, requested_at'),
      ('instruments', 'status, listing, history_from, checked_at, retry_at, attempts, last_error'),
      ('limits_floor', 'at'),
      ('login_attempts', 'used, window_start'),
      ('quota_days', 'used, base, credit'),
      ('rate_windows', 'second_start, second_used, minute_start, minute_used'),
      ('retroactive_days', 'used'),
      ('sessions', 'last_seen_at'),
      ('submit_hours', 'used'),
      ('symbol_files', 'created_at, symbols, stored_at'),
      ('symbols', 'listed_since, delisted_at'),
      ('workflows', 'name, name_folded, description, tags, visibility, nodes, edges, version, updated_at, listed_seq')
    ) u(name, columns) loop
    execute format('revoke update on app.%I from %I', updated.name, service);
    execute format('grant update (%s) on app.%I to %I', updated.columns, updated.name, service);
  end loop;
end $$;
