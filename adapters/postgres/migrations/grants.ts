/**
 * What the service's role may do: evidence is inserted and read; of a decision only its progress can change.
 * The role is `stancebook.service_role` of the session that migrates.
 */
export const GRANTS = `
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant usage on schema app to %I', service);
  execute format('grant execute on all functions in schema app to %I', service);
  execute format('grant select on all tables in schema app to %I', service);
  execute format('grant insert on app.audit_log, app.circuit_snapshots, app.credit_ledger, app.decision_documents,
    app.decision_outcomes, app.decision_relations, app.decisions, app.workflow_publications, app.workflow_snapshots
    to %I', service);
  execute format('grant update (lifecycle_state, due_at, settles_at, end_time, attempts, last_error, eval_token,
    evaluated_at, result_bucket, created_regime, raw_return, directional_return, mfe, mae, archived_at, archive_reason,
    quarantined_at, quarantine_reason) on app.decisions to %I', service);
  execute format('grant insert, update, delete on app.agents, app.api_keys, app.cooldowns, app.idempotency,
    app.identities, app.instruments, app.legal_acceptances, app.owners, app.quota_checks, app.quota_days,
    app.rate_windows, app.retroactive_days, app.sessions, app.submit_hours, app.workflows to %I', service);
end $$;
`;
