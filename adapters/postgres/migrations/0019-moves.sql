-- What each direction would have got (docs/cohorts.md): the range of the move of a record, and the counts of each cell by
-- it. Records that an earlier release graded have none until the sweep fold-cohorts has read their outcome.

alter table app.decisions add column move smallint;
comment on column app.decisions.move is 'moveRange of domain/grading/had-said.ts; null without an outcome, and until the sweep has read an older one.';
alter table app.cohort_tail add column move smallint;
alter table app.cohort_cells add column moves bigint[] not null default '{0,0,0,0,0,0,0,0,0,0,0}'
  constraint cohort_cells_moves_check check (cardinality(moves) = 11);
comment on column app.cohort_cells.moves is 'Records by the range of their move. The sum is less than n until all of them have one.';

create index decisions_without_move on app.decisions (record_id) where raw_return is not null and move is null;

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (move) on app.decisions to %I', service);
end $$;
