-- What is stored of decisions: their numbers, groups and names. Changes no row. Nodes of 0.5.0 number too, since they call the
-- functions of this release; they write no groups.

-- A time of a decision is never infinity or -infinity, which no view, list or count could show: a statement that sets one is
-- refused. Not valid: what is stored is not read, because the service has never stored one.
alter table app.decisions add constraint finite_times check (
  isfinite(data_cutoff) and isfinite(submission_time) and isfinite(anchor_time) and isfinite(end_time)
  and isfinite(settles_at) and isfinite(due_at) and isfinite(evaluated_at) and isfinite(archived_at)
  and isfinite(quarantined_at) and isfinite(listed_at)) not valid;

comment on column app.decisions.move is 'moveRange of domain/grading/bucket.ts; null without an outcome, and until the sweep has read an older one.';

-- Each submission gets its number among those of its agent, and its leaf of the evidence log a mark (docs/log-format.md).
create table app.agent_submissions (
  agent_id text primary key,
  number int not null check (number >= 0),
  salt bytea not null check (length(salt) = 32),
  hour timestamptz(3) not null,
  used int not null check (used >= 0),
  bytes bigint not null check (bytes >= 0)
) with (fillfactor = 70);
comment on table app.agent_submissions is
  'What was accepted of an agent: how many in all, and how many, with the bytes of their bodies, in its newest hour.';
comment on column app.agent_submissions.salt is 'Of the marks of its leaves; an erasure removes it.';
comment on table app.submit_hours is 'The hours of before app.agent_submissions; nodes of 0.5.0 read and prune them.';

alter table app.decisions add column number int;
comment on column app.decisions.number is
  'Among the decisions of its agent, from 1 without gaps; null of decisions from before there were numbers.';
alter type app.submission add attribute number int;

-- A worker of 0.5.0 appends no event that it does not know, so it gives no numbered decision a leaf without a mark.
alter table app.log_pending drop constraint log_pending_event_check;
alter table app.log_pending add constraint log_pending_event_check
  check (event in ('decision', 'numbered', 'imported', 'outcome', 'closed', 'reopened'));
alter table app.log_pending add column mark bytea, add column producer bytea;
comment on column app.log_pending.mark is 'Of a numbered decision whose owner was erased before it had its leaf, as producer.';

-- Decisions about one instrument over several horizons that are submitted as one (docs/records.md). Cells count the further
-- horizons apart (app.cell_origin), so no key changes.
alter table app.decisions add column group_id text, add column group_place smallint, add column group_of smallint;
-- Not valid until 0135 has read the table, which keeps no write waiting.
alter table app.decisions add constraint group_members check (num_nulls(group_id, group_place, group_of) in (0, 3)
  and (group_id is null or (group_id ~ '^grp_[0-9a-f]{24}$' and group_of between 2 and 8 and group_place between 1 and group_of))) not valid;
comment on column app.decisions.group_id is 'Of the group that the decision was submitted in; null of most. Shown to its owner alone.';
comment on column app.decisions.group_place is 'Among the horizons of the group, from 1. Cohorts count the others where a query pins their horizon.';
comment on column app.decisions.group_of is 'How many horizons the group has.';

alter table app.credit_ledger add column group_id text;
comment on column app.credit_ledger.group_id is 'Of the group of the record: each has one credit.';

alter type app.submission add attribute group_id text, add attribute group_place smallint, add attribute group_of smallint,
  -- The other members, each with the attributes in which it differs.
  add attribute others jsonb;

-- What names mean: statements of operators, exchanges and vendors, and their leaves (docs/securities.md).
create table app.names (
  id int primary key check (id > 0),
  line text not null,
  market text not null generated always as (line::jsonb ->> 'market') stored,
  name text not null generated always as (line::jsonb ->> 'name') stored,
  key text not null generated always as (line::jsonb ->> 'key') stored,
  withdraws int unique generated always as ((line::jsonb ->> 'withdraws')::int) stored references app.names,
  learned_at text collate "C" not null generated always as (line::jsonb ->> 'learned_at') stored
);
comment on table app.names is 'Statements about names, in the order in which they were learned; a withdrawal is one, too.';
comment on column app.names.line is 'RFC 8785. SHA-256 of the lines of an import, each with its line feed, is in its leaf.';
comment on column app.names.learned_at is 'RFC 3339; the same for all statements of one import, and for no other.';
create index names_learned_at on app.names (learned_at);
call app.keep_for_ever('app.names');

create table app.log_names (
  log integer not null references app.logs,
  index bigint not null,
  learned_at text collate "C" not null unique,
  primary key (log, index)
);
comment on table app.log_names is 'The leaf that commits to the statements of an import.';
call app.keep_for_ever('app.log_names');

alter type app.submission add attribute name text, add attribute names int;
alter table app.decisions add column name text;
comment on column app.decisions.name is
  'Of the security on the date of the anchor, at its venue; null where it is the symbol, and of records of before.';

-- Records count under what their names mean by statements that were learned after they were received (docs/securities.md).
alter table app.decisions
  add column received_symbol text,
  add column received_cohort_key text,
  add column counted_since timestamptz(3),
  add constraint later_names check (
    num_nulls(received_symbol, received_cohort_key, counted_since) in (0, 3) and received_symbol <> symbol
      and isfinite(counted_since)) not valid;
comment on column app.decisions.received_symbol is
  'What the name was read as at receipt, for good, where a statement that was learned later reads it otherwise: symbol, instrument and cohort_key are then what the record counts under. Null of every other record.';
comment on column app.decisions.received_cohort_key is 'The same of cohort_key; the receipt has it, too.';
comment on column app.decisions.counted_since is 'When the statement was learned by which the record counts under its symbol.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update (number, hour, used, bytes) on app.agent_submissions to %I', service);
  execute format('grant select, insert on app.names, app.log_names to %I', service);
end $$;
