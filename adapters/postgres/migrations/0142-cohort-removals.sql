-- How often records left the cohorts of a market: between two equal numbers its cohorts only grow.

create table app.cohort_removals (
  market text primary key,
  removals bigint not null
);
comment on table app.cohort_removals is
  'Counted by all that takes a record out of a cohort, or into another one; a market without a row had none.';

do $$
begin
  execute format('grant select on app.cohort_removals to %I', current_setting('stancebook.service_role'));
end $$;
