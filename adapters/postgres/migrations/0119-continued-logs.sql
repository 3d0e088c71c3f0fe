-- A log can go on with the stored leaves of another one (docs/log-operation.md). Changes no row: logs of before each have their
-- own leaves, and nodes of 0.5.0 that start one still add such a log.

alter table app.logs add column tree integer references app.logs (log) check (tree < log);
comment on column app.logs.tree is
  'The log under whose number the leaves are stored that this one shares; null: this one, whose leaves are its own.';
