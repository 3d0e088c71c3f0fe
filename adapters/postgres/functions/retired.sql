-- What nodes of 0.4.0 call that may still run next to this release, and called by nothing here: as its migrations made it,
-- but app.admit counts where app.admit_batch does. The release after this one drops it.

comment on function app.submit is 'Of 0.4.0: now app.submit_batch. A later release drops it.';
comment on function app.surroundings_of is 'Of 0.4.0: now app.context_of. A later release drops it.';
comment on type app.surroundings is 'Of 0.4.0: now app.submission_context. A later release drops it.';
comment on type app.admission is 'Of 0.4.0. A later release drops it.';

drop function if exists app.spent(app.admission[], date);
drop function if exists app.counted(app.admission[], timestamptz, timestamptz);
drop function if exists app.proven(bytea[], bytea[], text[], text[], text[], int[], int[], int[], text[], text[], int[],
  int[], timestamptz, timestamptz);

-- Each request is a batch of its own. Batches of several nodes may wait for each other in a ring, until their patience ends
-- and 0.4.0 sends each request alone.
create or replace function app.admit(key_hashes bytea[], session_hashes bytea[], issuers text[], subjects text[],
  addresses text[], address_minutes int[], caller_seconds int[], caller_minutes int[], pools text[], records text[],
  bases int[], units int[], session_idle interval, session_absolute interval, session_noted interval, patience_ms int default null)
returns setof app.admission language plpgsql volatile as $$
#variable_conflict use_column
declare
  setting text := current_setting('synchronous_commit');
  own constant bytea := '\x00';
  anonymous boolean;
begin
  for i in 1..cardinality(addresses) loop
    anonymous := coalesce(key_hashes[i], session_hashes[i]) is null and issuers[i] is null;
    loop
      return query
      select i - 1, case when b.admitted = 0 then 'rate' when units[i] = 1 and b.taken = 0 then 'quota' else 'admitted' end,
        app.now(), b.owner_id, b.agent_id, b.key_prefix, b.permission_mode, b.role, b.tier, null::text, l.per_second,
        l.per_minute, greatest(0, least(l.per_second - b.second_used, l.per_minute - b.minute_used)),
        case when l.per_minute - b.minute_used <= coalesce(l.per_second - b.second_used, l.per_minute - b.minute_used)
          then date_bin('1 minute', b.second_start, 'epoch') + interval '1 minute'
          else b.second_start + interval '1 second' end,
        pools[i], coalesce(records[i], ''), bases[i], case when anonymous then 0 else coalesce(units[i], 0) end,
        case when b.admitted > 0 then b.day end, b.used, b.credit
      from (select case when not anonymous then caller_seconds[i] end as per_second,
          case when anonymous then address_minutes[i] else caller_minutes[i] end as per_minute) l,
        app.admit_batch(
          key_hashes => case when anonymous or key_hashes[i] is null then '{}' else array[key_hashes[i]] end,
          key_addresses => '{}', key_counts => null,
          callers => case when anonymous or key_hashes[i] is null then array[own] else '{}' end,
          session_hashes => case when anonymous then array[null::bytea] else array[session_hashes[i]] end,
          issuers => array[issuers[i]], subjects => array[subjects[i]],
          addresses => array[case when anonymous then addresses[i] end], counts => '{1}',
          address_minutes => array[address_minutes[i]],
          per_second => caller_seconds[i], per_minute => caller_minutes[i],
          spenders => case when anonymous or pools[i] is null then '{}' else array[1] end,
          pools => array[pools[i]], records => array[coalesce(records[i], '')], bases => array[bases[i]],
          units => array[coalesce(units[i], 0)], firsts => '{0}', session_idle => session_idle,
          session_absolute => session_absolute, session_noted => session_noted,
          patience_ms => coalesce(patience_ms, 0)) b
      -- A key that its bounds refuse is as unknown there.
      where b.admitted >= 0;
      exit when found;
      if issuers[i] is not null then
        return next row(i - 1, 'stranger', app.now(), null, null, null, null, null, null, null, null, null, null, null, null,
          null, null, 0, null, null, null)::app.admission;
        exit;
      end if;
      anonymous := true;
    end loop;
  end loop;
  if 1 = any(units) then
    setting := set_config('synchronous_commit', setting, true);
  end if;
end $$;
