-- Online: the index that outcomes of an owner are counted by, of one agent too.

drop index concurrently if exists app.outcomes_of_owner_next;
create index concurrently outcomes_of_owner_next on app.decisions (owner_id, end_time)
  include (agent_id, submission_origin, direction, result_bucket, move, method, cohort_exception)
  where lifecycle_state = 'evaluated';
drop index concurrently if exists app.outcomes_of_owner;
alter index app.outcomes_of_owner_next rename to outcomes_of_owner;
