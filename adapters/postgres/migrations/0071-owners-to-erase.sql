-- Online: statement by statement, without a transaction.

-- The owners that are to be erased, for a sweep each minute.
drop index concurrently if exists app.owners_to_erase;
create index concurrently owners_to_erase on app.owners (erases_at) where erases_at is not null;
