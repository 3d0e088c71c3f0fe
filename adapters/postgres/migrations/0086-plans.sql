-- Questions that agents state before their answers, with their leaves in the evidence log, and the questions that owners
-- asked of cohorts (docs/cohorts.md).

create table app.plans (
  plan_id uuid primary key,
  owner_id uuid not null,
  agent_id text not null,
  stated_at timestamptz(3) not null,
  commitment bytea not null check (length(commitment) = 32),
  producer bytea not null check (length(producer) = 32),
  salt bytea check (length(salt) = 32),
  statement text,
  question bytea check (length(question) = 32),
  content bytea check (length(content) = 32),
  check (num_nulls(salt, statement, question, content) in (0, 4))
);
comment on column app.plans.commitment is 'SHA-256 of the salt and the statement; with the producer it makes the leaf.';
comment on column app.plans.salt is 'Null, as is the rest of what was stated, once the owner was erased.';
comment on column app.plans.question is 'SHA-256 of the canonical query.';
comment on column app.plans.content is 'SHA-256 of the canonical query and the sentence.';
create unique index plans_content on app.plans (agent_id, content);
create index plans_of_owner on app.plans (owner_id, stated_at);
create index plans_of_question on app.plans (owner_id, question, stated_at);

create table app.log_pending_plans (
  plan_id uuid primary key,
  imported boolean not null default false,
  ready_at timestamptz(3) not null
);
comment on table app.log_pending_plans is 'Plans that have no leaf in the newest log yet; a trigger writes it.';
create index log_pending_plans_ready on app.log_pending_plans (imported, ready_at);

create table app.log_plans (
  plan_id uuid not null,
  log int not null references app.logs,
  index bigint not null,
  primary key (plan_id, log),
  unique (log, index)
);
call app.keep_for_ever('app.log_plans');

create table app.asked_questions (
  owner_id uuid not null references app.owners on delete cascade,
  question bytea not null check (length(question) = 32),
  first_asked_at timestamptz(3) not null default app.now(),
  primary key (owner_id, question)
);

create table app.question_counts (
  owner_id uuid primary key references app.owners on delete cascade,
  asked int not null check (asked > 0)
);
comment on table app.question_counts is 'How many rows of app.asked_questions an owner has.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert on app.plans, app.log_plans, app.asked_questions to %I', service);
  execute format('grant select, insert, delete on app.log_pending_plans to %I', service);
  execute format('grant select, insert, update (asked) on app.question_counts to %I', service);
end $$;
