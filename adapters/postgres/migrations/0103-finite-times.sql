-- A time of a decision is never infinity or -infinity, which no view, list or count could show: a statement that sets one is refused.
-- Not valid: what is stored is not read, because the service has never stored one.

alter table app.decisions add constraint finite_times check (
  isfinite(data_cutoff) and isfinite(submission_time) and isfinite(anchor_time) and isfinite(end_time)
  and isfinite(settles_at) and isfinite(due_at) and isfinite(evaluated_at) and isfinite(archived_at)
  and isfinite(quarantined_at) and isfinite(listed_at)) not valid;
