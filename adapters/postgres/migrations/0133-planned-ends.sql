-- Where the window of a row of a back-test ended at receipt: a recall as of an earlier time shows that. Changes no row.

alter table app.backtest_rows add column planned_end timestamptz(3);
comment on column app.backtest_rows.planned_end is 'The end at receipt where grading has moved it; null where it has not.';
do $$
begin
  execute format('grant update (planned_end) on app.backtest_rows to %I', current_setting('stancebook.service_role'));
end $$;
