-- Online: statement by statement, without a transaction.

-- The keys of an agent go with it.
drop index concurrently if exists app.api_keys_of_agent;
create index concurrently api_keys_of_agent on app.api_keys (agent_id);
