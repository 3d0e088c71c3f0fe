-- Online: the index that outcomes of an owner are counted by.

-- Counts the graded records of an owner by the time at which their windows ended, from the index alone.
drop index concurrently if exists app.outcomes_of_owner;
create index concurrently outcomes_of_owner on app.decisions (owner_id, end_time)
  include (submission_origin, direction, result_bucket, move, method, cohort_exception)
  where lifecycle_state = 'evaluated';
