-- What agents write about rows of their back-tests, as of times of these (docs/backtests.md). Changes no row.

create table app.backtest_notes (
  row_id bigint not null references app.backtest_rows on delete cascade,
  number smallint not null check (number > 0),
  set_id int not null,
  text text not null check (length(text) > 0),
  as_of timestamptz(3) not null check (isfinite(as_of)),
  written_at timestamptz(3) not null,
  primary key (row_id, number)
);
comment on table app.backtest_notes is 'Notes on graded rows of back-tests. They go with their rows.';
comment on column app.backtest_notes.as_of is 'From when on recall of the set shows the note: never before the outcome was known.';
create index backtest_notes_newest on app.backtest_notes (set_id, as_of desc, row_id desc, number desc);

do $$
declare service text := current_setting('stancebook.service_role');
begin
  -- Grading notes there which end a window had at receipt.
  execute format('grant update (planned_end) on app.backtest_rows to %I', service);
  execute format('grant select, insert on app.backtest_notes to %I', service);
end $$;
