-- What agents write about their records after the outcome (docs/records.md), and sets of back-tests: rows about the past, which
-- are no decisions (docs/backtests.md). Changes no row.

create table app.decision_notes (
  record_id text not null references app.decisions,
  number int not null check (number > 0),
  owner_id uuid not null,
  agent_id text not null,
  text text check (length(text) > 0),
  written_at timestamptz(3) not null check (isfinite(written_at)),
  primary key (record_id, number)
);
comment on table app.decision_notes is
  'Outside of the statement and of the log: only the owner and the agents of the owner read them. An erasure removes them.';
comment on column app.decision_notes.text is 'Null once the owner has emptied the note: its number and its time stay.';
create index notes_of_agent on app.decision_notes (owner_id, agent_id, written_at);

create table app.backtest_sets (
  set_id int primary key generated always as identity,
  owner_id uuid not null references app.owners on delete cascade,
  agent_id text not null references app.agents on delete cascade,
  name text not null check (name ~ '^[a-z0-9-]{1,40}$'),
  source text not null,
  horizon_rule text not null,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3),
  rows int not null default 0,
  bytes bigint not null default 0
);
comment on table app.backtest_sets is 'Sets of back-tests, each of an agent.';
comment on column app.backtest_sets.removed_at is 'When its owner removed it: its rows are deleted in the background.';
comment on column app.backtest_sets.bytes is 'Of the bodies of its rows.';
create unique index backtest_sets_name on app.backtest_sets (agent_id, name) where removed_at is null;
create index backtest_sets_owner on app.backtest_sets (owner_id);
create index backtest_sets_removed on app.backtest_sets (removed_at) where removed_at is not null;

create table app.backtest_instruments (
  set_id int not null references app.backtest_sets on delete cascade,
  place smallint not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  due_at timestamptz(3),
  token uuid,
  lease_until timestamptz(3),
  primary key (set_id, place),
  unique (set_id, market, symbol, venue, asset_class, quote_currency)
);
comment on table app.backtest_instruments is 'The instruments of a set. One process at a time grades the rows of one.';
comment on column app.backtest_instruments.due_at is 'When the first of its rows is due; null without any.';
create index backtest_instruments_due on app.backtest_instruments (due_at) where due_at is not null;

create table app.backtest_rows (
  row_id bigint primary key generated always as identity,
  set_id int not null,
  place smallint not null,
  external_id text collate "C" not null,
  direction text not null,
  horizon_kind text not null,
  horizon_value int not null,
  confidence float8,
  knowledge text not null,
  anchor_time timestamptz(3) not null,
  end_time timestamptz(3) not null,
  settles_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  method text not null,
  due_at timestamptz(3),
  attempts smallint not null default 0,
  record_group text not null default 'pending',
  ungraded text,
  move smallint,
  known_at timestamptz(3),
  planned_end timestamptz(3),
  unique (set_id, external_id),
  foreign key (set_id, place) references app.backtest_instruments on delete cascade,
  check (record_group = 'pending' or due_at is null)
);
comment on table app.backtest_rows is 'Rows of back-tests: narrow, so that counts of a set read little.';
comment on column app.backtest_rows.known_at is 'Since when a live decision would have had the outcome.';
comment on column app.backtest_rows.planned_end is 'The end at receipt where grading has moved it; null where it has not.';
create index backtest_rows_window on app.backtest_rows (set_id, place, anchor_time, row_id);
create index backtest_rows_due on app.backtest_rows (set_id, place, anchor_time, row_id) where due_at is not null;

create table app.backtest_documents (
  row_id bigint primary key references app.backtest_rows on delete cascade,
  body text not null,
  outcome jsonb,
  last_error text
);
comment on table app.backtest_documents is 'What rows of back-tests say, in RFC 8785 form, and their outcomes without bars.';

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
  execute format('grant select, insert on app.backtest_sets, app.backtest_instruments, app.backtest_rows, app.backtest_documents
    to %I', service);
  -- What belongs to a row or a set goes with it.
  execute format('grant delete on app.backtest_sets, app.backtest_rows to %I', service);
  execute format('grant update (removed_at, rows, bytes) on app.backtest_sets to %I', service);
  execute format('grant update (due_at, token, lease_until) on app.backtest_instruments to %I', service);
  execute format('grant update (due_at, attempts, record_group, ungraded, move, known_at, end_time, settles_at, planned_end)
    on app.backtest_rows to %I', service);
  execute format('grant update (outcome, last_error) on app.backtest_documents to %I', service);
  execute format('grant select, insert on app.backtest_notes to %I', service);
  execute format('grant select, insert, update (text) on app.decision_notes to %I', service);
end $$;
