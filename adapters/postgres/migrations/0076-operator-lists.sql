-- Online: statement by statement, without a transaction.

-- The lists of operators: records under quarantine, and entries of the audit log by their action.
drop index concurrently if exists app.quarantined_by_submission;
create index concurrently quarantined_by_submission on app.decisions (submission_time desc, record_id desc)
  where lifecycle_state = 'quarantined';
drop index concurrently if exists app.audit_log_action_seq_idx;
create index concurrently audit_log_action_seq_idx on app.audit_log (action, seq);
