-- Online: statement by statement, without a transaction.

-- With WISDOM_OWNER_PROOF=verified, owners whose address is confirmed count.
drop index concurrently if exists app.confirmed_owners;
create index concurrently confirmed_owners on app.owners (owner_id) where email_confirmed_at is not null;
