-- The write of submissions, judged in the order of settled.md section 4 from the idempotency replay on, in one statement
-- for up to 63 of them. Each member is a subtransaction: a refusal undoes what the member wrote before. What is
-- accepted is written by one insert for each table. If that fails, because a record id is taken or a row is not possible,
-- all are judged again with inserts of their own, and only that member fails.
--
-- A member that would wait longer than patience_ms for a row of another transaction leaves with the verdict `busy` and is
-- run again alone, so that one twin never delays the other members and two batches never deadlock.
--
-- A decision group is one row of the batch, its first member, with the others in `others`. It is judged once: one key, one
-- cooldown, one plan, and a limit counts all of its members at once. Then a record is made of each.

create or replace function app.record_id(received timestamptz, suffix text) returns text language sql stable
  as $$ select 'dec_' || to_char(received at time zone 'UTC', 'YYYYMMDD') || '_' || suffix $$;

create or replace function app.group_text(id text, size smallint, place smallint) returns text immutable language sql
  return '{"id":"' || id || '","of":' || size || ',"place":' || place || '}';
comment on function app.group_text is 'What the statement of a decision says of its group, in the form of RFC 8785.';

create or replace function app.receipts_of_group(id text) returns jsonb stable language sql
  return (select jsonb_agg(s.receipt order by d.group_place)
    from app.decisions d join app.decision_documents s on s.record_id = d.record_id where d.group_id = id);
comment on function app.receipts_of_group is 'The receipts of its members, in their order.';

-- together: writes what is accepted at the end. Fails, and writes nothing, if it cannot write all of it.
create or replace function app.judge_submissions(batch jsonb, idempotency_kept interval, verified_for interval,
  together boolean)
returns table (ordinal int, verdict text, detail jsonb, received_at timestamptz)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  m app.submission;
  v_circuit text;
  v_snapshot uuid;
  v_verified boolean;
  v_history timestamptz;
  v_workflow boolean;
  received timestamptz;
  v_mode text;
  v_expires timestamptz;
  v_record text;
  v_print bytea;
  v_state text;
  v_isolated boolean;
  v_statement text;
  v_commitment text;
  v_receipt jsonb;
  v_receipts jsonb;
  v_log text;
  v_time text;
  v_hour timestamptz;
  v_until timestamptz;
  v_used int;
  v_judged app.judged_submission;
  v_accepted app.judged_submission[] := '{}';
  v_names int;
  v_before int := 0;
  v_count int;
  v_bytes bigint;
begin
  select l.origin into v_log from app.logs l order by l.log desc limit 1;
  select max(n.id) into v_names from app.names n;
  for m in select x.* from jsonb_populate_recordset(null::app.submission, batch) x
    order by x.owner_id, x.agent_id, x.idempotency_key, x.market, x.symbol, x.direction, x.ordinal
  loop
    verdict := null;
    detail := null;
    v_before := cardinality(v_accepted);
    begin
      select permission_mode, expires_at into v_mode, v_expires from app.api_keys
        where key_prefix = m.key_prefix and revoked_at is null for key share;
      received := app.now();
      if v_mode is distinct from 'read_write' or v_expires <= received then
        verdict := case when v_mode is null then 'key_revoked' when v_expires <= received then 'key_expired'
          else 'key_read_only' end;
        raise sqlstate 'SB000';
      end if;

      v_record := app.record_id(received, m.suffix);
      if m.idempotency_key is not null then
        insert into app.idempotency as i (agent_id, key, fingerprint, record_id, created_at)
          values (m.agent_id, m.idempotency_key, decode(m.fingerprint, 'hex'), v_record, received)
          on conflict (agent_id, key) do update
            set fingerprint = excluded.fingerprint, record_id = excluded.record_id, created_at = excluded.created_at
            where i.created_at <= excluded.created_at - idempotency_kept;
        if not found then
          select i.fingerprint, i.record_id into v_print, v_record
            from app.idempotency i where i.agent_id = m.agent_id and i.key = m.idempotency_key;
          if not found then
            -- The key was pruned in the meantime: judge the submission once more.
            verdict := 'collision';
          elsif v_print = decode(m.fingerprint, 'hex') then
            verdict := 'replayed';
            select d.receipt into detail from app.decision_documents d where d.record_id = v_record;
            if not found then
              select j.receipt into detail from unnest(v_accepted) j where j.record_id = v_record;
            end if;
            if detail ? 'group' then
              detail := coalesce(app.receipts_of_group(detail #>> '{group,id}'), (
                select jsonb_agg(j.receipt order by j.receipt #> '{group,place}') from unnest(v_accepted) j
                where j.receipt #> '{group,id}' = detail #> '{group,id}'));
            end if;
          else
            verdict := 'key_reused';
          end if;
          raise sqlstate 'SB000';
        end if;
        received := greatest(received, app.now());
        if v_expires <= received then
          verdict := 'key_expired';
          raise sqlstate 'SB000';
        end if;
        -- The wait crossed midnight: judge the submission once more, under an id of the new day.
        if v_record <> app.record_id(received, m.suffix) then
          verdict := 'collision';
          raise sqlstate 'SB000';
        end if;
      end if;

      -- A node of 0.5.0 reads no names.
      if received < m.valid_from or received >= m.valid_until or m.names < v_names then
        verdict := 'replan';
        raise sqlstate 'SB000';
      end if;
      -- As app.context_of does.
      select k.circuit_state, k.circuit_snapshot, k.instrument_verified, k.history_from
        into v_circuit, v_snapshot, v_verified, v_history
        from app.market_of(m.coin, m.instrument, received, verified_for) k;
      if m.related <> '[]' then
        detail := app.related_faults(m);
        if detail is not null then
          verdict := 'related_refused';
          raise sqlstate 'SB000';
        end if;
      end if;
      v_isolated := coalesce(v_circuit <> 'normal', false);
      if v_isolated and m.refuse_tripped and v_circuit = 'tripped' then
        verdict := 'circuit_open';
        raise sqlstate 'SB000';
      end if;
      v_workflow := case when m.workflow_hash is not null then app.sees_workflow(m.workflow_hash, m.owner_id) end;

      -- A node of 0.5.0 sends neither the bytes of an hour nor a network. A later hour, which began while this submission
      -- waited for the row or before the clock was set back, counts it too. The row of an agent begins with what its former table counted in this hour.
      v_hour := date_trunc('hour', received, 'UTC');
      v_until := v_hour + interval '1 day';
      m.number := null;
      v_count := 1;
      v_bytes := octet_length(m.body);
      if m.others is not null then
        v_count := m.group_of;
        v_bytes := v_bytes + (select sum(octet_length(o ->> 'body')) from jsonb_array_elements(m.others) o);
      end if;
      for attempt in 1..2 loop
        update app.agent_submissions s
          set number = s.number + v_count,
            used = case when s.hour between v_hour and v_until then s.used else 0 end + v_count,
            bytes = case when s.hour between v_hour and v_until then s.bytes else 0 end + v_bytes,
            hour = case when s.hour between v_hour and v_until then s.hour else v_hour end
          where s.agent_id = m.agent_id
            and case when s.hour between v_hour and v_until then s.used else 0 end + v_count <= m.submits_per_hour
            and case when s.hour between v_hour and v_until then s.bytes else 0 end + v_bytes
              <= coalesce(m.submit_bytes_per_hour, 9223372036854775807)
          returning s.used, s.number - v_count + 1 into v_used, m.number;
        exit when found;
        if attempt = 1 then
          insert into app.agent_submissions (agent_id, number, salt, hour, used, bytes)
            select m.agent_id, 0, app.random_salt(), v_hour, coalesce(max(h.used), 0), coalesce(max(h.bytes), 0)
            from app.submit_hours h where h.agent_id = m.agent_id and h.hour = v_hour
            on conflict do nothing;
        end if;
      end loop;
      if m.number is null then
        select case when t.used + v_count <= m.submits_per_hour then 'hour_bytes' else 'frequency' end,
          jsonb_build_object('retry_after_seconds', ceil(extract(epoch from app.hour_of(s, v_hour) + interval '1 hour' - received)))
            || case when t.used + v_count <= m.submits_per_hour
              then jsonb_build_object('used_bytes', t.bytes)
              when m.others is not null then jsonb_build_object('left', greatest(0, m.submits_per_hour - t.used))
              else '{}' end
          into verdict, detail
          from app.agent_submissions s, app.counted_hour(s, v_hour) t where s.agent_id = m.agent_id;
        raise sqlstate 'SB000';
      end if;

      if m.cooldown_seconds > 0 then
        insert into app.cooldowns as c (agent_id, market, symbol, direction, last_at, record_id)
          values (m.agent_id, m.market, m.symbol, m.direction, received, v_record)
          on conflict (agent_id, market, symbol, direction) do update
            set last_at = excluded.last_at, record_id = excluded.record_id
            where c.last_at <= excluded.last_at - m.cooldown_seconds * interval '1 second';
        if not found then
          verdict := 'cooldown';
          select jsonb_build_object('record_id', c.record_id, 'retry_after_seconds',
              ceil(extract(epoch from c.last_at + m.cooldown_seconds * interval '1 second' - received)))
            into detail from app.cooldowns c
            where c.agent_id = m.agent_id and c.market = m.market and c.symbol = m.symbol and c.direction = m.direction;
          raise sqlstate 'SB000';
        end if;
      end if;

      if m.submission_origin = 'retroactive' then
        insert into app.retroactive_days as r (owner_id, day, used)
          select m.owner_id, (received at time zone 'UTC')::date, v_count where v_count <= m.retroactive_per_day
          on conflict (owner_id, day) do update set used = r.used + v_count
            where r.used + v_count <= m.retroactive_per_day;
        if not found then
          verdict := 'retroactive_quota';
          detail := jsonb_build_object('retry_after_seconds',
            ceil(extract(epoch from date_trunc('day', received, 'UTC') + interval '1 day' - received)));
          if m.others is not null then
            select detail || jsonb_build_object('left', greatest(0, m.retroactive_per_day - coalesce(max(r.used), 0)))
              into detail from app.retroactive_days r
              where r.owner_id = m.owner_id and r.day = (received at time zone 'UTC')::date;
          end if;
          raise sqlstate 'SB000';
        end if;
      end if;

      -- Once for an hour of an agent, so that the row of a network is no row of every submission.
      if v_used = v_count and m.network is not null and exists (
        select from app.keep(array[decode(m.network, 'hex')], 'agent_hour', 1, 0, array[m.agent_hours_per_network],
          array[0::bigint]) k
        where k.refused is not null) then
        verdict := 'network_hours';
        detail := jsonb_build_object('retry_after_seconds',
          ceil(extract(epoch from date_trunc('day', received, 'UTC') + interval '1 day' - received)));
        raise sqlstate 'SB000';
      end if;

      v_time := app.rfc3339(received);
      loop
        m.anchor_at := coalesce(m.anchor_at, received);
        m.end_at := coalesce(m.end_at, received + m.end_after_ms * interval '1 millisecond');
        m.settles_at := coalesce(m.settles_at, received + m.settles_after_ms * interval '1 millisecond');
        v_state := case when v_verified then 'verified' else 'pending_verify' end;
        m.method := coalesce(m.method, 'eval/1');
        if v_isolated then
          m.cohort_key := m.isolated_cohort_key;
        end if;
        m.warnings := m.warnings
          || case when not v_workflow then array['WORKFLOW_REF_UNRESOLVED'] end
          || case v_circuit when 'tripped' then array['PEG_TRIPPED'] when 'warming' then array['PEG_WARMING'] end
          || case when v_state <> 'verified' then array['INSTRUMENT_UNVERIFIED'] end
          || case when v_history > m.history_needed_from then array['INSUFFICIENT_HISTORY'] end;
        if not v_workflow then
          m.workflow_hash := null;
        end if;
        -- Keys in the order of RFC 8785; the body arrives in that form.
        v_statement := '{"body":' || m.body
          || case when m.group_id is null then '' else ',"group":' || app.group_text(m.group_id, m.group_of, m.group_place) end
          || ',"record_id":"' || v_record || '","submission_time":"' || v_time || '"}';
        v_commitment := encode(sha256(decode(m.salt, 'hex') || convert_to(v_statement, 'UTF8')), 'hex');
        v_receipt := jsonb_build_object(
          'record_id', v_record,
          'lifecycle_state', v_state,
          'submission_time', v_time,
          'submission_origin', m.submission_origin,
          'cohort_key', m.cohort_key,
          'anchor_time', case when m.anchor_at = received then v_time else app.rfc3339(m.anchor_at) end,
          'end_time', app.rfc3339(m.end_at),
          'settles_at', app.rfc3339(m.settles_at),
          'workflow_hash', m.workflow_hash,
          'commitment', v_commitment,
          'log', v_log,
          'warnings', to_jsonb(m.warnings));
        if m.group_id is not null then
          v_receipt := v_receipt
            || jsonb_build_object('group', app.group_text(m.group_id, m.group_of, m.group_place)::jsonb);
          v_receipts := case when m.group_place = 1 then '[]' else v_receipts end || v_receipt;
        end if;
        v_judged := row(m, v_record, received, v_state, case when v_isolated then v_snapshot end, v_statement,
          v_commitment, v_receipt)::app.judged_submission;
        if together then
          v_accepted := array_append(v_accepted, v_judged);
        elsif app.write_decisions(array[v_judged]) = 0 then
          verdict := 'collision';
          raise sqlstate 'SB000';
        end if;
        exit when m.others is null or m.group_place = m.group_of;
        m := jsonb_populate_record(m, m.others -> (m.group_place - 1));
        m.number := m.number + 1;
        v_record := app.record_id(received, m.suffix);
      end loop;
      verdict := 'accepted';
      detail := case when m.group_id is null then v_receipt else v_receipts end;
    exception
      when sqlstate 'SB000' then null;
      when lock_not_available or deadlock_detected then verdict := 'busy';
      when others then
        -- A fault of one member, reported by its SQLSTATE, does not fail the others.
        verdict := 'failed';
        detail := to_jsonb(sqlstate);
    end;
    -- A group that failed at a later member.
    if verdict <> 'accepted' and cardinality(v_accepted) > v_before then
      v_accepted := v_accepted[1:v_before];
    end if;
    ordinal := m.ordinal;
    received_at := received;
    return next;
  end loop;
  if app.write_decisions(v_accepted) < cardinality(v_accepted) then
    raise exception 'a record id is taken';
  end if;
end $$;

-- idempotency_kept: how long a key answers as the first time; verified_for: how long an instrument counts as verified.
create or replace function app.submit_batch(batch jsonb, patience_ms int, idempotency_kept interval,
  verified_for interval)
returns table (ordinal int, verdict text, detail jsonb, received_at timestamptz)
language plpgsql volatile as $$
begin
  -- A statement of its own: what is learned while it waits is seen by those that follow. A time-out ends the whole batch.
  perform app.share_names();
  perform set_config('lock_timeout', patience_ms::text, true);
  begin
    return query select * from app.judge_submissions(batch, idempotency_kept, verified_for, true);
  exception when others then
    raise warning 'The batch was not written in one piece, and is judged one by one: %', sqlerrm;
    return query select * from app.judge_submissions(batch, idempotency_kept, verified_for, false);
  end;
end $$;
