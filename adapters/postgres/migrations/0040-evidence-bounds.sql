-- The tables that are written once and read by record id get partitions by month, in three migrations that hold no lock for
-- long (docs/adr/0018-records-have-partitions-by-month.md). This one adds, without reading a table, what proves to PostgreSQL
-- which ids are in it. Ids begin with the day of their receipt.

-- For this transaction, all locks that these migrations need, or none of them yet: nobody waits longer than 0.3 s at once.
-- Decisions first, in the order of submissions and grades; an attached partition gives up its foreign key, whose triggers are
-- on decisions, for that of its table.
create function app.lock_evidence_tables() returns void language plpgsql as $$
begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.decisions, app.decision_documents, app.decision_outcomes, app.outcome_evidence in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'The tables of evidence are in use by long transactions: end these (a backup, for example), then migrate again.';
end $$;

-- Until the last of these migrations, an id past the bound is refused: it is at least a month away where there are decisions.
do $$
declare
  ends date;
  evidence text;
begin
  perform app.lock_evidence_tables();
  select date_trunc('month', greatest(app.now() at time zone 'UTC', to_date(newest.day, 'YYYYMMDD')))
    + case when newest.day is null then interval '1 month' else interval '2 months' end into ends
    from (select substr(max(record_id), 5, 8) as day from app.decisions) newest;
  foreach evidence in array array['decision_documents', 'decision_outcomes', 'outcome_evidence'] loop
    execute format('alter table app.%I add constraint in_first_months check (record_id < %L) not valid',
      evidence, 'dec_' || to_char(ends, 'YYYYMMDD'));
  end loop;
end $$;
