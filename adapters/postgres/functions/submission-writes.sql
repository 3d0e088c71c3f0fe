-- The rows of accepted submissions: one insert for each table, however many there are.

-- Returns how many were written: a record id that is taken is not.
create or replace function app.write_decisions(judged app.judged_submission[]) returns int language plpgsql volatile as $$
declare written int;
begin
  if cardinality(judged) = 0 then
    return 0;
  end if;
  insert into app.decisions (record_id, owner_id, agent_id, instrument, market, symbol, venue, asset_class,
      quote_currency, submitted_symbol, name, direction, horizon_kind, horizon_value, analysis_class, perspective_type,
      data_cutoff, submission_time, submission_origin, method, anchor_time, end_time, settles_at, cohort_key,
      isolation_snapshot_id, workflow_hash, lifecycle_state, due_at, number, group_id, group_place, group_of)
    select j.record_id, (m).owner_id, (m).agent_id, (m).instrument, (m).market, (m).symbol, (m).venue, (m).asset_class,
      (m).quote_currency, (m).submitted_symbol, (m).name, (m).direction, (m).horizon_kind, (m).horizon_value, (m).analysis_class,
      (m).perspective_type, (m).data_cutoff, j.received, (m).submission_origin, (m).method, (m).anchor_at, (m).end_at,
      (m).settles_at, (m).cohort_key, j.isolation_snapshot_id, (m).workflow_hash, j.state,
      case when j.state = 'verified' then (m).settles_at end, (m).number, (m).group_id, (m).group_place, (m).group_of
    from unnest(judged) j(m, record_id, received, state, isolation_snapshot_id)
    on conflict do nothing;
  get diagnostics written = row_count;
  if written < cardinality(judged) then
    return written;
  end if;
  insert into app.decision_documents (record_id, statement, confidence, salt, commitment, receipt, received)
    -- By json, so that none is stored that is no JSON.
    select j.record_id, j.statement::json::text, (m).confidence, decode((m).salt, 'hex'), j.commitment, j.receipt,
      jsonb_build_object('owner_id', (m).owner_id, 'agent_id', (m).agent_id, 'instrument', (m).instrument,
        'name', (m).name, 'method', (m).method, 'isolation_snapshot_id', j.isolation_snapshot_id)
    from unnest(judged) j(m, record_id, received, state, isolation_snapshot_id, statement, commitment, receipt);
  if exists (select from unnest(judged) j(m) where (m).related <> '[]') then
    insert into app.decision_relations (record_id, related_id, relation)
      select j.record_id, r.record_id, r.relation
      from unnest(judged) j(m, record_id)
      cross join lateral jsonb_to_recordset((m).related) r(record_id text, relation text)
      on conflict do nothing;
  end if;
  return written;
end $$;
