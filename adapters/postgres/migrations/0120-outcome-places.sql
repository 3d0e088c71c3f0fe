-- Online: finds the outcomes of an entry bundle by the index of their leaves, as log_decisions_log_index_key finds decisions.

drop index concurrently if exists app.log_outcomes_place;
create index concurrently log_outcomes_place on app.log_outcomes (log, index);
