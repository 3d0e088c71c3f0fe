-- Online: statement by statement, without a transaction.

-- Lists by the time of the evaluation: the few that an owner has missed, among all that the owner has.
drop index concurrently if exists app.evaluated_of_owner;
create index concurrently evaluated_of_owner on app.decisions (owner_id, evaluated_at) where evaluated_at is not null;
