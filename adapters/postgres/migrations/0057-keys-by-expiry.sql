-- Online: statement by statement, without a transaction.

-- The keys that have not had their event key.expiring, for a sweep each minute.
drop index concurrently if exists app.api_keys_expiring;
create index concurrently api_keys_expiring on app.api_keys (expires_at)
  where expires_at is not null and revoked_at is null and not expiry_noted;
