-- A grade and its credit are one row, and `data` is made when an event is read: two rows and their jsonb cost a grade twice
-- the CPU.

alter table app.events add column record_id text, add column state text, add column result_bucket text;
alter table app.events alter column data drop not null;
comment on column app.events.data is 'Null for events of decisions: made of record_id, agent_id, state and result_bucket.';
-- The number behind that of a row is of the event of its credit.
alter table app.events alter column seq set increment by 2;
comment on column app.events.seq is 'The next number is that of the credit, where a row stands for a grade and its credit.';
-- The place behind a row is now the number behind that of the row.
update app.webhooks set seq = seq + 1 where seq > 0;

alter table app.credit_ledger add column with_grade boolean not null default false;
comment on column app.credit_ledger.with_grade is
  'Written by the statement of the grade, whose event stands for both; else the credit has an event of its own.';
