-- Each submission gets its number among those of its agent, and its leaf of the evidence log a mark (docs/log-format.md).
-- Changes no row. Nodes of 0.5.0 number too, since they call the functions of this release.

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

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update (number, hour, used, bytes) on app.agent_submissions to %I', service);
end $$;
