-- Online: statement by statement, without a transaction.

-- States that pass within days: what else is open is the difference from all that was received.
drop index concurrently if exists app.unsettled_of_owner;
create index concurrently unsettled_of_owner on app.decisions (owner_id, lifecycle_state)
  where lifecycle_state in ('pending_verify', 'evaluating', 'deferred');

drop index concurrently if exists app.graded_of_agent;
create index concurrently graded_of_agent on app.decisions (agent_id, submission_origin)
  where lifecycle_state = 'evaluated';

drop index concurrently if exists app.public_by_workflow_owner;
create index concurrently public_by_workflow_owner on app.decisions (workflow_hash, owner_id, submission_time)
  where lifecycle_state = 'evaluated' and workflow_hash is not null;
drop index concurrently if exists app.decisions_of_workflow;

-- Cells by days count directions, and the hours at the ends of a time range are counted by the index of the market. So this
-- index serves only pages and small cohorts, which read the records, and has no columns to be counted by.
drop index concurrently if exists app.public_by_direction;
create index concurrently public_by_direction on app.decisions (
    market, analysis_class, direction, data_cutoff, record_id, perspective_type, grid)
  where lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_calls;

-- A submission locks its key by `for key share`, which the count of a request does not wait for. Only an update of columns
-- of a unique index excludes that lock: a revocation and a change of the mode must wait for submissions, and these for them.
drop index concurrently if exists app.api_keys_in_use;
create unique index concurrently api_keys_in_use on app.api_keys (key_prefix, permission_mode, revoked_at);
