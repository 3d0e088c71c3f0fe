-- Online: finds the newest records of an agent that count under a security, for its recall (docs/recall.md).

drop index concurrently if exists app.decisions_of_security;
create index concurrently decisions_of_security on app.decisions (agent_id, market, symbol, submission_time desc);
