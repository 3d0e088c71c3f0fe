-- The service's role keeps no right to change rows of accounts, caches and instruments that no statement of this release or
-- of 0.4.0 uses. A lock of a row of agents needs the right to update one column.

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('revoke update, delete on app.agents, app.identities, app.api_keys from %I', service);
  execute format('revoke update on app.owners, app.atlas_seeds, app.source_health from %I', service);
  execute format('revoke delete on app.agent_counts, app.api_key_uses, app.atlas, app.instruments, app.symbol_files,
    app.symbols from %I', service);
  execute format('grant update (name) on app.agents to %I', service);
  execute format('grant update (permission_mode, revoked_at) on app.api_keys to %I', service);
  execute format('grant update (password_hash, preferences, role, tier) on app.owners to %I', service);
end $$;
