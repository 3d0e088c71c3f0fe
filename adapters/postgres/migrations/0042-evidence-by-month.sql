-- Each table becomes the first partition of a new one, without being read. Later months: functions/months.sql.

select app.lock_evidence_tables();
drop function app.lock_evidence_tables();

do $$
declare
  service text := current_setting('stancebook.service_role');
  evidence text;
  ends text;
  first text;
  guard record;
begin
  foreach evidence in array array['decision_documents', 'decision_outcomes', 'outcome_evidence'] loop
    select substring(pg_get_constraintdef(oid) from 'dec_[0-9]{8}') into strict ends from pg_constraint
      where conrelid = format('app.%I', evidence)::regclass and conname = 'in_first_months';
    -- Named by its last month.
    first := evidence || '_' || to_char(to_date(right(ends, 8), 'YYYYMMDD') - 1, 'YYYYMM');
    execute format('alter table app.%I rename to %I', evidence, first);
    execute format('alter index app.%I rename to %I', evidence || '_pkey', first || '_pkey');
    if service <> current_user then
      execute format('revoke all on app.%I from %I', first, service);
    end if;

    execute format('create table app.%I (like app.%I including all excluding indexes) partition by range (record_id)',
      evidence, first);
    execute format('alter table app.%I drop constraint in_first_months, add constraint %I primary key (record_id),
      add constraint %I foreign key (record_id) references app.decisions',
      evidence, evidence || '_pkey', evidence || '_record_id_fkey');
    execute format('grant select, insert on app.%I to %I', evidence, service);
    if evidence = 'decision_documents' then
      execute format('alter index app.documents_with_confidence rename to %I', first || '_record_id_confidence_idx');
      execute format('create index documents_with_confidence on app.%I (record_id) include (confidence)
        where confidence is not null', evidence);
    end if;

    -- A partition gets the triggers for each row from its table. Those for each statement stay, for statements on it alone.
    for guard in select tgname as name, pg_get_triggerdef(oid) as definition, (tgtype & 1) = 1 as is_for_rows
        from pg_trigger where tgrelid = format('app.%I', first)::regclass and not tgisinternal loop
      execute replace(guard.definition, format(' ON app.%I ', first), format(' ON app.%I ', evidence));
      execute format('alter table app.%I enable always trigger %I', evidence, guard.name);
      if guard.is_for_rows then
        execute format('drop trigger %I on app.%I', guard.name, first);
      end if;
    end loop;
    execute format('alter table app.%I attach partition app.%I for values from (minvalue) to (%L)', evidence, first, ends);
    execute format('alter table app.%I drop constraint in_first_months', first);
    -- What is in no month, such as ids after a clock that went ahead: no insert fails.
    execute format('create table app.%I partition of app.%I default', evidence || '_default', evidence);
  end loop;
end $$;
