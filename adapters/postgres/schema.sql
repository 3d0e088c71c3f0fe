-- The schema of the database as it is today, to be read: `node scripts/write-schema.ts` writes it from the catalogue, and
-- a test holds it against a fresh database. It comes from migrations/*.sql and, for functions, triggers and views,
-- functions/*.sql, where the bodies of the functions are.

create schema app;
grant usage on schema app to service;

create type app.judged_submission as (
  sent app.submission,
  record_id text,
  received timestamp with time zone,
  state text,
  isolation_snapshot_id uuid,
  statement text,
  commitment text,
  receipt jsonb
);

create type app.submission as (
  ordinal integer,
  owner_id uuid,
  agent_id text,
  key_prefix text,
  suffix text,
  instrument text,
  market text,
  symbol text,
  venue text,
  asset_class text,
  quote_currency text,
  submitted_symbol text,
  direction text,
  horizon_kind text,
  horizon_value integer,
  analysis_class text,
  perspective_type text,
  data_cutoff timestamp with time zone,
  submission_origin text,
  valid_from timestamp with time zone,
  valid_until timestamp with time zone,
  anchor_at timestamp with time zone,
  end_at timestamp with time zone,
  end_after_ms bigint,
  settles_at timestamp with time zone,
  settles_after_ms bigint,
  history_needed_from timestamp with time zone,
  coin text,
  refuse_tripped boolean,
  cohort_key text,
  isolated_cohort_key text,
  workflow_hash text,
  related jsonb,
  warnings text[],
  idempotency_key text,
  fingerprint text,
  submits_per_hour integer,
  cooldown_seconds integer,
  retroactive_per_day integer,
  body text,
  salt text,
  method text,
  confidence double precision,
  submit_bytes_per_hour bigint,
  network text,
  agent_hours_per_network integer,
  number integer,
  group_id text,
  group_place smallint,
  group_of smallint,
  others jsonb,
  name text,
  names integer
);

create type app.submission_context as (
  circuit_state text,
  circuit_snapshot uuid,
  workflow_found boolean,
  instrument_verified boolean,
  history_from timestamp with time zone,
  related_faults jsonb
);

create table app.agent_counts (
  agent_id text not null,
  tallies jsonb not null,
  cached_at timestamp(3) with time zone not null,
  constraint agent_counts_pkey PRIMARY KEY (agent_id),
  constraint agent_counts_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES app.agents(agent_id) ON DELETE CASCADE
);
comment on table app.agent_counts is 'A cache: whatever is removed is counted again.';
grant insert, select on app.agent_counts to service;
grant update (tallies, cached_at) on app.agent_counts to service;

create table app.agent_submissions (
  agent_id text not null,
  number integer not null,
  salt bytea not null,
  hour timestamp(3) with time zone not null,
  used integer not null,
  bytes bigint not null,
  constraint agent_submissions_pkey PRIMARY KEY (agent_id),
  constraint agent_submissions_bytes_check CHECK ((bytes >= 0)),
  constraint agent_submissions_number_check CHECK ((number >= 0)),
  constraint agent_submissions_salt_check CHECK ((length(salt) = 32)),
  constraint agent_submissions_used_check CHECK ((used >= 0))
) with (fillfactor=70);
comment on table app.agent_submissions is 'What was accepted of an agent: how many in all, and how many, with the bytes of their bodies, in its newest hour.';
comment on column app.agent_submissions.salt is 'Of the marks of its leaves; an erasure removes it.';
CREATE TRIGGER number_grows BEFORE UPDATE ON app.agent_submissions FOR EACH ROW EXECUTE FUNCTION app.guard_number();
alter table app.agent_submissions enable always trigger number_grows;
grant insert, select on app.agent_submissions to service;
grant update (number, hour, used, bytes) on app.agent_submissions to service;

create table app.agents (
  agent_id text not null,
  owner_id uuid not null,
  name text not null,
  created_at timestamp(3) with time zone not null,
  archived_at timestamp(3) with time zone,
  constraint agents_pkey PRIMARY KEY (agent_id),
  constraint agents_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint agents_agent_id_check CHECK ((agent_id ~ '^agt_[0-9a-f]{12}$'::text))
);
comment on column app.agents.archived_at is 'Archived: without keys, and not counted for the limit of the tier.';
CREATE INDEX agents_owner_id_idx ON app.agents USING btree (owner_id);
grant delete, insert, select on app.agents to service;
grant update (archived_at) on app.agents to service;

create table app.api_key_uses (
  key_prefix text not null,
  last_used_at timestamp(3) with time zone not null,
  network text,
  constraint api_key_uses_pkey PRIMARY KEY (key_prefix),
  constraint api_key_uses_key_prefix_fkey FOREIGN KEY (key_prefix) REFERENCES app.api_keys(key_prefix) ON DELETE CASCADE,
  constraint api_key_uses_network_check CHECK ((length(network) <= 64))
) with (fillfactor=70);
comment on column app.api_key_uses.network is 'A keyed hash, as in app.security_events.';
grant insert, select on app.api_key_uses to service;
grant update (last_used_at, network) on app.api_key_uses to service;

create table app.api_keys (
  key_prefix text not null,
  key_hash bytea not null,
  owner_id uuid not null,
  agent_id text,
  permission_mode text not null,
  label text,
  created_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  second_start timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  second_used integer not null default 0,
  minute_used integer not null default 0,
  admitted integer not null default 0,
  suspended boolean not null default false,
  expires_at timestamp(3) with time zone,
  allowed_networks text[],
  expiry_noted boolean not null default false,
  constraint api_keys_pkey PRIMARY KEY (key_prefix),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES app.agents(agent_id) ON DELETE CASCADE,
  constraint api_keys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint api_keys_allowed_networks_check CHECK ((((allowed_networks)::cidr[] IS NULL) OR (cardinality(allowed_networks) > 0))),
  constraint api_keys_check CHECK (((NOT suspended) OR (revoked_at IS NOT NULL))),
  constraint api_keys_key_hash_check CHECK ((length(key_hash) = 32)),
  constraint api_keys_permission_mode_check CHECK ((permission_mode = ANY (ARRAY['read_write'::text, 'read_only'::text])))
) with (fillfactor=50);
comment on column app.api_keys.second_start is 'The last second in which a request of the key was counted; minute_used counts in its minute.';
comment on column app.api_keys.admitted is 'Requests that the last update counted: the update returns it. Negative: the bounds of the key refused them.';
comment on column app.api_keys.suspended is 'Revoked by the suspension of its owner, and restored at its end.';
comment on column app.api_keys.expires_at is 'From then on the key is refused; null: it works until it is revoked.';
comment on column app.api_keys.allowed_networks is 'The networks whose requests are accepted, as networkText of domain/networks.ts writes them; null: all.';
comment on column app.api_keys.expiry_noted is 'Its event key.expiring is written.';
CREATE INDEX api_keys_expiring ON app.api_keys USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (revoked_at IS NULL) AND (NOT expiry_noted));
CREATE UNIQUE INDEX api_keys_in_use ON app.api_keys USING btree (key_prefix, permission_mode, revoked_at);
CREATE INDEX api_keys_of_agent ON app.api_keys USING btree (agent_id);
CREATE INDEX api_keys_owner_id_idx ON app.api_keys USING btree (owner_id) WHERE (revoked_at IS NULL);
CREATE TRIGGER refuse_restored_key BEFORE UPDATE OF revoked_at ON app.api_keys FOR EACH ROW WHEN ((old.revoked_at IS NOT NULL)) EXECUTE FUNCTION app.refuse_restored_key();
alter table app.api_keys enable always trigger refuse_restored_key;
grant insert, select on app.api_keys to service;
grant update (permission_mode, revoked_at, second_start, second_used, minute_used, admitted, allowed_networks, expiry_noted) on app.api_keys to service;

create table app.applied_functions (
  only_one boolean not null default true,
  edition integer not null,
  hash text not null,
  applied_at timestamp(3) with time zone not null,
  cells_filled_at timestamp(3) with time zone,
  constraint applied_functions_pkey PRIMARY KEY (only_one),
  constraint applied_functions_edition_check CHECK ((edition > 0)),
  constraint applied_functions_only_one_check CHECK (only_one)
);
comment on column app.applied_functions.edition is 'Of functions/edition.txt: a release of a lower edition leaves the functions as they are.';
comment on column app.applied_functions.hash is 'SHA-256 of the files.';
comment on column app.applied_functions.cells_filled_at is 'When track_cells and workflow_cells were filled from records that are older than their triggers.';
grant select on app.applied_functions to service;

create table app.asked_questions (
  owner_id uuid not null,
  question bytea not null,
  first_asked_at timestamp(3) with time zone not null default app.now(),
  constraint asked_questions_pkey PRIMARY KEY (owner_id, question),
  constraint asked_questions_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint asked_questions_question_check CHECK ((length(question) = 32))
);
grant insert, select on app.asked_questions to service;

create table app.atlas (
  only_one boolean not null default true,
  generated_at timestamp(3) with time zone not null,
  records bigint not null,
  min_producers integer not null,
  min_samples integer not null,
  network_of_realtime json not null,
  network_of_all json not null,
  owner_proof text not null default 'none'::text,
  constraint atlas_pkey PRIMARY KEY (only_one),
  constraint atlas_only_one_check CHECK (only_one),
  constraint atlas_records_check CHECK ((records >= 0))
);
comment on column app.atlas.records is 'Public records when it was built.';
grant insert, select on app.atlas to service;
grant update (generated_at, records, min_producers, min_samples, network_of_realtime, network_of_all, owner_proof) on app.atlas to service;

create table app.atlas_requests (
  at timestamp(3) with time zone not null default app.now()
);
comment on table app.atlas_requests is 'Reasons for another atlas: an operator asked, or a public record left or came back. A build takes away those that it sees and no later one, without a lock that anybody else waits for.';
grant delete, insert, select on app.atlas_requests to service;

create table app.atlas_seeds (
  scope text not null,
  place integer not null,
  record_id text not null,
  instrument text not null,
  departures bigint not null,
  nodes text[] not null,
  seed json not null,
  constraint atlas_seeds_pkey PRIMARY KEY (scope, place),
  constraint atlas_seeds_scope_check CHECK ((scope = ANY (ARRAY['realtime'::text, 'all'::text])))
);
comment on table app.atlas_seeds is 'Public records that the atlas shows, in their order.';
comment on column app.atlas_seeds.departures is 'Which graded records of the instrument and the scope were under quarantine when it was built, as one number: once they are others, the counts told are not those of the cohort.';
grant delete, insert, select on app.atlas_seeds to service;

create table app.audit_log (
  seq bigint not null generated always as identity,
  at timestamp(3) with time zone not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}'::jsonb,
  previous text not null,
  seal text not null,
  constraint audit_log_pkey PRIMARY KEY (seq),
  constraint audit_log_previous_key UNIQUE (previous)
);
comment on column app.audit_log.previous is 'The seal of the entry before; 64 zeros for the first.';
comment on column app.audit_log.seal is 'SHA-256 of the entry with previous, hex.';
CREATE INDEX audit_log_action_seq_idx ON app.audit_log USING btree (action, seq);
CREATE INDEX audit_log_actor_seq_idx ON app.audit_log USING btree (actor, seq);
CREATE INDEX audit_log_subject_seq_idx ON app.audit_log USING btree (subject, seq);
CREATE TRIGGER chain BEFORE INSERT ON app.audit_log FOR EACH ROW EXECUTE FUNCTION app.chain_audit_entry();
alter table app.audit_log enable always trigger chain;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.audit_log FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.audit_log enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.audit_log FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.audit_log enable always trigger evidence_whole;
grant insert, select on app.audit_log to service;

create table app.backtest_documents (
  row_id bigint not null,
  body text not null,
  outcome json,
  last_error text,
  constraint backtest_documents_pkey PRIMARY KEY (row_id),
  constraint backtest_documents_row_id_fkey FOREIGN KEY (row_id) REFERENCES app.backtest_rows(row_id) ON DELETE CASCADE
);
comment on table app.backtest_documents is 'What rows of back-tests say, in RFC 8785 form, and their outcomes without bars.';
grant insert, select on app.backtest_documents to service;
grant update (outcome, last_error) on app.backtest_documents to service;

create table app.backtest_instruments (
  set_id integer not null,
  place smallint not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  due_at timestamp(3) with time zone,
  token uuid,
  lease_until timestamp(3) with time zone,
  constraint backtest_instruments_pkey PRIMARY KEY (set_id, place),
  constraint backtest_instruments_set_id_market_symbol_venue_asset_class_key UNIQUE (set_id, market, symbol, venue, asset_class, quote_currency),
  constraint backtest_instruments_set_id_fkey FOREIGN KEY (set_id) REFERENCES app.backtest_sets(set_id) ON DELETE CASCADE
);
comment on table app.backtest_instruments is 'The instruments of a set. One process at a time grades the rows of one.';
comment on column app.backtest_instruments.due_at is 'When the first of its rows is due; null without any.';
CREATE INDEX backtest_instruments_due ON app.backtest_instruments USING btree (due_at) WHERE (due_at IS NOT NULL);
grant insert, select on app.backtest_instruments to service;
grant update (due_at, token, lease_until) on app.backtest_instruments to service;

create table app.backtest_notes (
  row_id bigint not null,
  number smallint not null,
  set_id integer not null,
  text text not null,
  as_of timestamp(3) with time zone not null,
  written_at timestamp(3) with time zone not null,
  constraint backtest_notes_pkey PRIMARY KEY (row_id, number),
  constraint backtest_notes_row_id_fkey FOREIGN KEY (row_id) REFERENCES app.backtest_rows(row_id) ON DELETE CASCADE,
  constraint backtest_notes_as_of_check CHECK (isfinite(as_of)),
  constraint backtest_notes_number_check CHECK ((number > 0)),
  constraint backtest_notes_text_check CHECK ((length(text) > 0))
);
comment on table app.backtest_notes is 'Notes on graded rows of back-tests. They go with their rows.';
comment on column app.backtest_notes.as_of is 'From when on recall of the set shows the note: never before the outcome was known.';
CREATE INDEX backtest_notes_newest ON app.backtest_notes USING btree (set_id, as_of DESC, row_id DESC, number DESC);
grant insert, select on app.backtest_notes to service;

create table app.backtest_rows (
  row_id bigint not null generated always as identity,
  set_id integer not null,
  place smallint not null,
  external_id text collate "C" not null,
  direction text not null,
  horizon_kind text not null,
  horizon_value integer not null,
  confidence double precision,
  knowledge text not null,
  anchor_time timestamp(3) with time zone not null,
  end_time timestamp(3) with time zone not null,
  settles_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null,
  method text not null,
  due_at timestamp(3) with time zone,
  attempts smallint not null default 0,
  record_group text not null default 'pending'::text,
  ungraded text,
  move smallint,
  known_at timestamp(3) with time zone,
  planned_end timestamp(3) with time zone,
  constraint backtest_rows_pkey PRIMARY KEY (row_id),
  constraint backtest_rows_set_id_external_id_key UNIQUE (set_id, external_id),
  constraint backtest_rows_set_id_place_fkey FOREIGN KEY (set_id, place) REFERENCES app.backtest_instruments(set_id, place) ON DELETE CASCADE,
  constraint backtest_rows_check CHECK (((record_group = 'pending'::text) OR (due_at IS NULL)))
);
comment on table app.backtest_rows is 'Rows of back-tests: narrow, so that counts of a set read little.';
comment on column app.backtest_rows.known_at is 'Since when a live decision would have had the outcome.';
comment on column app.backtest_rows.planned_end is 'The end at receipt where grading has moved it; null where it has not.';
CREATE INDEX backtest_rows_due ON app.backtest_rows USING btree (set_id, place, anchor_time, row_id) WHERE (due_at IS NOT NULL);
CREATE INDEX backtest_rows_window ON app.backtest_rows USING btree (set_id, place, anchor_time, row_id);
grant delete, insert, select on app.backtest_rows to service;
grant update (end_time, settles_at, due_at, attempts, record_group, ungraded, move, known_at, planned_end) on app.backtest_rows to service;

create table app.backtest_sets (
  set_id integer not null generated always as identity,
  owner_id uuid not null,
  agent_id text not null,
  name text not null,
  source text not null,
  horizon_rule text not null,
  created_at timestamp(3) with time zone not null,
  removed_at timestamp(3) with time zone,
  rows integer not null default 0,
  bytes bigint not null default 0,
  constraint backtest_sets_pkey PRIMARY KEY (set_id),
  constraint backtest_sets_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES app.agents(agent_id) ON DELETE CASCADE,
  constraint backtest_sets_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint backtest_sets_name_check CHECK ((name ~ '^[a-z0-9-]{1,40}$'::text))
);
comment on table app.backtest_sets is 'Sets of back-tests, each of an agent.';
comment on column app.backtest_sets.removed_at is 'When its owner removed it: its rows are deleted in the background.';
comment on column app.backtest_sets.bytes is 'Of the bodies of its rows.';
CREATE UNIQUE INDEX backtest_sets_name ON app.backtest_sets USING btree (agent_id, name) WHERE (removed_at IS NULL);
CREATE INDEX backtest_sets_owner ON app.backtest_sets USING btree (owner_id);
CREATE INDEX backtest_sets_removed ON app.backtest_sets USING btree (removed_at) WHERE (removed_at IS NOT NULL);
grant delete, insert, select on app.backtest_sets to service;
grant update (removed_at, rows, bytes) on app.backtest_sets to service;

create table app.bar_stretches (
  stretch_id bigint not null generated always as identity,
  series text not null,
  basis bigint not null,
  fetch_id uuid not null,
  since bigint not null,
  until bigint not null,
  bars text not null,
  constraint bar_stretches_pkey PRIMARY KEY (stretch_id),
  constraint bar_stretches_check CHECK ((since < until))
);
comment on table app.bar_stretches is 'Bars that were fetched once. Whatever is removed is fetched again: evidence stands in evidence_bars.';
comment on column app.bar_stretches.since is 'Epoch milliseconds: bars has every bar that there is within [since, until).';
CREATE INDEX bar_stretches_series_basis_until_idx ON app.bar_stretches USING btree (series, basis, until);
grant delete, insert, select on app.bar_stretches to service;

create table app.circuit_monitors (
  coin text not null,
  looked_at timestamp(3) with time zone,
  below_since timestamp(3) with time zone,
  above_since timestamp(3) with time zone,
  trip_since timestamp(3) with time zone,
  at_once integer not null default 0,
  constraint circuit_monitors_pkey PRIMARY KEY (coin),
  constraint circuit_monitors_at_once_check CHECK ((at_once >= 0)),
  constraint circuit_monitors_coin_check CHECK ((coin = ANY (ARRAY['USDT'::text, 'USDC'::text])))
);
comment on table app.circuit_monitors is 'One row for each coin: the lock of its circuit, and the runs of its observations.';
grant select on app.circuit_monitors to service;
grant update (looked_at, below_since, above_since, trip_since, at_once) on app.circuit_monitors to service;

create table app.circuit_snapshots (
  seq bigint not null generated always as identity,
  id uuid not null,
  coin text not null,
  from_state text not null,
  state text not null,
  cause text not null,
  actor text not null,
  reason text,
  justification text,
  evidence_urls text[],
  at timestamp(3) with time zone not null,
  constraint circuit_snapshots_pkey PRIMARY KEY (seq),
  constraint circuit_snapshots_id_key UNIQUE (id),
  constraint circuit_snapshots_cause_check CHECK ((cause = ANY (ARRAY['trip'::text, 'resolve'::text, 'auto_trip'::text, 'relapse'::text, 'recovery'::text]))),
  constraint circuit_snapshots_check CHECK (
CASE cause
    WHEN 'resolve'::text THEN ((from_state = 'warming'::text) AND (state = 'normal'::text) AND (reason IS NULL) AND (justification IS NOT NULL) AND (COALESCE(cardinality(evidence_urls), 0) > 0))
    WHEN 'recovery'::text THEN ((from_state = 'tripped'::text) AND (state = 'warming'::text) AND (reason IS NOT NULL))
    ELSE ((state = 'tripped'::text) AND (reason IS NOT NULL))
END),
  constraint circuit_snapshots_coin_check CHECK ((coin = ANY (ARRAY['USDT'::text, 'USDC'::text]))),
  constraint circuit_snapshots_from_state_check CHECK ((from_state = ANY (ARRAY['normal'::text, 'warming'::text, 'tripped'::text]))),
  constraint circuit_snapshots_state_check CHECK ((state = ANY (ARRAY['normal'::text, 'warming'::text, 'tripped'::text])))
);
CREATE INDEX circuit_snapshots_coin_seq_idx ON app.circuit_snapshots USING btree (coin, seq DESC);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.circuit_snapshots FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.circuit_snapshots enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.circuit_snapshots FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.circuit_snapshots enable always trigger evidence_whole;
CREATE TRIGGER note_circuit AFTER INSERT ON app.circuit_snapshots FOR EACH ROW WHEN ((new.from_state <> new.state)) EXECUTE FUNCTION app.note_circuit();
alter table app.circuit_snapshots enable always trigger note_circuit;
grant select on app.circuit_snapshots to service;
grant insert (id, coin, from_state, state, cause, actor, reason, justification, evidence_urls, at) on app.circuit_snapshots to service;

create table app.cohort_cells (
  rollup smallint not null,
  market text collate "C" not null,
  symbol text collate "C" not null,
  venue text collate "C" not null,
  asset_class text collate "C" not null,
  quote_currency text collate "C" not null,
  cohort_key text collate "C" not null,
  direction text collate "C" not null,
  analysis_class text collate "C" not null,
  horizon_kind text collate "C" not null,
  horizon_value integer not null,
  since timestamp with time zone not null,
  perspective_type text collate "C" not null,
  result_bucket text collate "C" not null,
  submission_origin text collate "C" not null,
  n bigint not null,
  earliest timestamp with time zone not null,
  latest timestamp with time zone not null,
  owners uuid[] not null,
  moves bigint[] not null default '{0,0,0,0,0,0,0,0,0,0,0}'::bigint[],
  method text collate "C" not null default 'eval/1'::text,
  grid text collate "C" not null default ''::text,
  last_graded timestamp with time zone,
  constraint cohort_cells_pkey PRIMARY KEY (rollup, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class, horizon_kind, horizon_value, since, perspective_type, result_bucket, submission_origin, method, grid),
  constraint cohort_cells_rollup_fkey FOREIGN KEY (rollup) REFERENCES app.cohort_rollups(rollup),
  constraint cohort_cells_moves_check CHECK ((cardinality(moves) = 11)),
  constraint cohort_cells_n_check CHECK ((n > 0)),
  constraint cohort_cells_owners_check CHECK (((cardinality(owners) >= 1) AND (cardinality(owners) <= 32)))
) with (fillfactor=85);
comment on table app.cohort_cells is 'Counts of public records that have left the tail. A column that the rollup does not keep is empty (-1, -infinity).';
comment on column app.cohort_cells.earliest is 'Of data_cutoff, as is latest.';
comment on column app.cohort_cells.owners is 'The first 32 of them, ascending. No more than whether there are enough is ever told.';
comment on column app.cohort_cells.moves is 'Records by the range of their move. The sum is less than n until all of them have one.';
comment on column app.cohort_cells.grid is 'Empty for records that have none.';
comment on column app.cohort_cells.last_graded is 'The last evaluated_at; null where a cell of an earlier release does not have it.';
grant select on app.cohort_cells to service;

create table app.cohort_removals (
  market text not null,
  removals bigint not null,
  constraint cohort_removals_pkey PRIMARY KEY (market)
);
comment on table app.cohort_removals is 'Counted by all that takes a record out of a cohort, or into another one; a market without a row had none.';
grant select on app.cohort_removals to service;

create table app.cohort_rollups (
  rollup smallint not null,
  grain text not null,
  period text not null,
  clock text not null,
  finer smallint,
  symbol boolean not null,
  venue boolean not null,
  asset_class boolean not null,
  quote_currency boolean not null,
  cohort_key boolean not null,
  direction boolean not null,
  analysis_class boolean not null,
  horizon_kind boolean not null,
  horizon_value boolean not null,
  markets text[],
  without_last_graded text[] not null default '{}'::text[],
  constraint cohort_rollups_pkey PRIMARY KEY (rollup),
  constraint cohort_rollups_grain_period_clock_key UNIQUE (grain, period, clock),
  constraint cohort_rollups_finer_fkey FOREIGN KEY (finer) REFERENCES app.cohort_rollups(rollup),
  constraint cohort_rollups_check CHECK ((finer > rollup)),
  constraint cohort_rollups_clock_check CHECK ((clock = ANY (ARRAY['data_cutoff'::text, 'evaluated_at'::text]))),
  constraint cohort_rollups_period_check CHECK ((period = ANY (ARRAY['all'::text, 'year'::text, 'month'::text, 'day'::text, 'six_hours'::text])))
);
comment on table app.cohort_rollups is 'Which columns the cells of a rollup keep apart beside market, perspective, bucket and origin, and by which periods of which time.';
comment on column app.cohort_rollups.finer is 'The rollup that its cells add up from: by shorter periods, or of more columns. It has a higher number.';
comment on column app.cohort_rollups.markets is 'The markets that it has cells of; null for all.';
comment on column app.cohort_rollups.without_last_graded is 'Markets with cells of an earlier release, which lack last_graded.';
grant select on app.cohort_rollups to service;

create table app.cohort_tail (
  record_id text not null,
  owner_id uuid not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  cohort_key text not null,
  direction text not null,
  analysis_class text not null,
  horizon_kind text not null,
  horizon_value integer not null,
  perspective_type text not null,
  result_bucket text not null,
  submission_origin text not null,
  data_cutoff timestamp(3) with time zone not null,
  evaluated_at timestamp(3) with time zone not null,
  move smallint,
  method text not null default 'eval/1'::text,
  grid text not null default ''::text,
  constraint cohort_tail_pkey PRIMARY KEY (record_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
comment on table app.cohort_tail is 'Public records that the cells do not count yet.';
grant select on app.cohort_tail to service;

create table app.cooldowns (
  agent_id text not null,
  market text not null,
  symbol text not null,
  direction text not null,
  last_at timestamp(3) with time zone not null,
  record_id text not null,
  constraint cooldowns_pkey PRIMARY KEY (agent_id, market, symbol, direction)
);
grant delete, insert, select on app.cooldowns to service;
grant update (last_at, record_id) on app.cooldowns to service;

create table app.credit_ledger (
  record_id text not null,
  owner_id uuid not null,
  day date not null,
  amount integer not null,
  with_grade boolean not null default false,
  group_id text,
  constraint credit_ledger_pkey PRIMARY KEY (record_id)
);
comment on column app.credit_ledger.with_grade is 'Written by the statement of the grade, whose event stands for both; else the credit has an event of its own.';
comment on column app.credit_ledger.group_id is 'Of the group of the record: each has one credit.';
CREATE UNIQUE INDEX credit_of_group ON app.credit_ledger USING btree (group_id) WHERE (group_id IS NOT NULL);
CREATE TRIGGER note_credits AFTER INSERT ON app.credit_ledger REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.note_credits();
alter table app.credit_ledger enable always trigger note_credits;
grant insert, select on app.credit_ledger to service;

create table app.dataset_files (
  month text not null,
  name text not null,
  place smallint not null,
  bytes bigint not null,
  sha256 bytea not null,
  constraint dataset_files_pkey PRIMARY KEY (month, name),
  constraint dataset_files_month_fkey FOREIGN KEY (month) REFERENCES app.datasets(month)
);
comment on table app.dataset_files is 'The files of a snapshot, in their order.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.dataset_files FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.dataset_files enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.dataset_files FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.dataset_files enable always trigger evidence_whole;
grant insert, select on app.dataset_files to service;

create table app.dataset_parts (
  month text not null,
  name text not null,
  part integer not null,
  content bytea not null,
  constraint dataset_parts_pkey PRIMARY KEY (month, name, part),
  constraint dataset_parts_month_fkey FOREIGN KEY (month) REFERENCES app.datasets(month)
);
comment on table app.dataset_parts is 'The bytes of a file, in parts of at most 1 MiB.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.dataset_parts FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.dataset_parts enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.dataset_parts FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.dataset_parts enable always trigger evidence_whole;
grant insert, select on app.dataset_parts to service;

create table app.datasets (
  month text not null,
  made_at timestamp(3) with time zone not null default app.now(),
  constraint datasets_pkey PRIMARY KEY (month),
  constraint datasets_month_check CHECK ((month ~ '^\d{4}-(0[1-9]|1[0-2])$'::text))
);
comment on table app.datasets is 'Public snapshots, by the UTC month in which each was made; they stay as they are.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.datasets FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.datasets enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.datasets FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.datasets enable always trigger evidence_whole;
grant insert, select on app.datasets to service;

create table app.decision_documents (
  record_id text not null,
  submission jsonb,
  statement text not null,
  salt bytea,
  commitment text not null,
  receipt jsonb not null,
  confidence double precision,
  received jsonb not null,
  constraint decision_documents_pkey PRIMARY KEY (record_id),
  constraint decision_documents_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint decision_documents_check CHECK ((commitment = encode(sha256((salt || convert_to(statement, 'UTF8'::name))), 'hex'::text))),
  constraint decision_documents_salt_check CHECK ((length(salt) = 32))
) partition by RANGE (record_id);
comment on column app.decision_documents.submission is 'Of records of 0.4.0: the body of their statement once more. Null in others.';
comment on column app.decision_documents.statement is 'What was said and when, in RFC 8785 form: the text that the commitment seals.';
comment on column app.decision_documents.salt is 'Null once the owner was erased: the statement is then what app.erased_statement left of it.';
comment on column app.decision_documents.confidence is 'That of the body of the statement; null without one.';
comment on column app.decision_documents.received is 'Columns of app.decisions that neither statement nor receipt have.';
CREATE INDEX documents_with_confidence ON ONLY app.decision_documents USING btree (record_id) INCLUDE (confidence) WHERE (confidence IS NOT NULL);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.decision_documents FOR EACH ROW EXECUTE FUNCTION app.guard_document();
alter table app.decision_documents enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.decision_documents FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.decision_documents enable always trigger evidence_whole;
CREATE TRIGGER keep_salt BEFORE INSERT ON app.decision_documents FOR EACH ROW WHEN ((new.salt IS NULL)) EXECUTE FUNCTION app.refuse_change('a statement is received with its salt');
alter table app.decision_documents enable always trigger keep_salt;
grant insert, select on app.decision_documents to service;

-- partition app.decision_documents_N of app.decision_documents (
  constraint decision_documents_N_pkey PRIMARY KEY (record_id),
  constraint decision_documents_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint decision_documents_check CHECK ((commitment = encode(sha256((salt || convert_to(statement, 'UTF8'::name))), 'hex'::text))),
  constraint decision_documents_salt_check CHECK ((length(salt) = 32))
);
CREATE INDEX decision_documents_N_record_id_confidence_idx ON app.decision_documents_N USING btree (record_id) INCLUDE (confidence) WHERE (confidence IS NOT NULL);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.decision_documents_N FOR EACH ROW EXECUTE FUNCTION app.guard_document();
alter table app.decision_documents_N enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.decision_documents_N FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.decision_documents_N enable always trigger evidence_whole;
CREATE TRIGGER keep_salt BEFORE INSERT ON app.decision_documents_N FOR EACH ROW WHEN ((new.salt IS NULL)) EXECUTE FUNCTION app.refuse_change('a statement is received with its salt');
alter table app.decision_documents_N enable always trigger keep_salt;

-- partition app.decision_documents_default of app.decision_documents (
  constraint decision_documents_default_pkey PRIMARY KEY (record_id),
  constraint decision_documents_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint decision_documents_check CHECK ((commitment = encode(sha256((salt || convert_to(statement, 'UTF8'::name))), 'hex'::text))),
  constraint decision_documents_salt_check CHECK ((length(salt) = 32))
);
CREATE INDEX decision_documents_default_record_id_confidence_idx ON app.decision_documents_default USING btree (record_id) INCLUDE (confidence) WHERE (confidence IS NOT NULL);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.decision_documents_default FOR EACH ROW EXECUTE FUNCTION app.guard_document();
alter table app.decision_documents_default enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.decision_documents_default FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.decision_documents_default enable always trigger evidence_whole;
CREATE TRIGGER keep_salt BEFORE INSERT ON app.decision_documents_default FOR EACH ROW WHEN ((new.salt IS NULL)) EXECUTE FUNCTION app.refuse_change('a statement is received with its salt');
alter table app.decision_documents_default enable always trigger keep_salt;

create table app.decision_notes (
  record_id text not null,
  number integer not null,
  owner_id uuid not null,
  agent_id text not null,
  text text,
  written_at timestamp(3) with time zone not null,
  constraint decision_notes_pkey PRIMARY KEY (record_id, number),
  constraint decision_notes_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint decision_notes_number_check CHECK ((number > 0)),
  constraint decision_notes_text_check CHECK ((length(text) > 0)),
  constraint decision_notes_written_at_check CHECK (isfinite(written_at))
);
comment on table app.decision_notes is 'Outside of the statement and of the log: only the owner and the agents of the owner read them. An erasure removes them.';
comment on column app.decision_notes.text is 'Null once the owner has emptied the note: its number and its time stay.';
CREATE INDEX notes_of_agent ON app.decision_notes USING btree (owner_id, agent_id, written_at);
CREATE TRIGGER check_note BEFORE INSERT ON app.decision_notes FOR EACH ROW EXECUTE FUNCTION app.check_note();
alter table app.decision_notes enable always trigger check_note;
CREATE TRIGGER drop_replies BEFORE INSERT OR UPDATE ON app.decision_notes FOR EACH ROW EXECUTE FUNCTION app.drop_replies_of_note();
alter table app.decision_notes enable always trigger drop_replies;
CREATE TRIGGER guard BEFORE DELETE OR UPDATE ON app.decision_notes FOR EACH ROW EXECUTE FUNCTION app.guard_note();
alter table app.decision_notes enable always trigger guard;
CREATE TRIGGER guard_whole BEFORE TRUNCATE ON app.decision_notes FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change('it goes with its owner');
alter table app.decision_notes enable always trigger guard_whole;
grant insert, select on app.decision_notes to service;
grant update (text) on app.decision_notes to service;

create table app.decision_outcomes (
  record_id text not null,
  facts jsonb not null,
  owner_facts jsonb not null,
  bars jsonb,
  evaluated_at timestamp(3) with time zone not null,
  result_bucket text not null,
  created_regime jsonb,
  constraint decision_outcomes_pkey PRIMARY KEY (record_id),
  constraint decision_outcomes_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id)
) partition by RANGE (record_id);
comment on column app.decision_outcomes.bars is 'The path of outcomes from before their evidence was kept; else null: see outcome_evidence.';
CREATE TRIGGER complete_outcome BEFORE INSERT ON app.decision_outcomes FOR EACH ROW EXECUTE FUNCTION app.complete_outcome();
alter table app.decision_outcomes enable always trigger complete_outcome;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.decision_outcomes FOR EACH ROW EXECUTE FUNCTION app.guard_outcome();
alter table app.decision_outcomes enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.decision_outcomes FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.decision_outcomes enable always trigger evidence_whole;
CREATE TRIGGER log_outcome AFTER INSERT ON app.decision_outcomes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.log_new('outcome');
alter table app.decision_outcomes enable always trigger log_outcome;
CREATE TRIGGER note_grades AFTER INSERT ON app.decision_outcomes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.note_grades();
alter table app.decision_outcomes enable always trigger note_grades;
grant insert, select on app.decision_outcomes to service;

-- partition app.decision_outcomes_N of app.decision_outcomes (
  constraint decision_outcomes_N_pkey PRIMARY KEY (record_id),
  constraint decision_outcomes_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id)
);
CREATE TRIGGER complete_outcome BEFORE INSERT ON app.decision_outcomes_N FOR EACH ROW EXECUTE FUNCTION app.complete_outcome();
alter table app.decision_outcomes_N enable always trigger complete_outcome;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.decision_outcomes_N FOR EACH ROW EXECUTE FUNCTION app.guard_outcome();
alter table app.decision_outcomes_N enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.decision_outcomes_N FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.decision_outcomes_N enable always trigger evidence_whole;
CREATE TRIGGER log_outcome AFTER INSERT ON app.decision_outcomes_N REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.log_new('outcome');
alter table app.decision_outcomes_N enable always trigger log_outcome;
CREATE TRIGGER note_grades AFTER INSERT ON app.decision_outcomes_N REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.note_grades();
alter table app.decision_outcomes_N enable always trigger note_grades;

-- partition app.decision_outcomes_default of app.decision_outcomes (
  constraint decision_outcomes_default_pkey PRIMARY KEY (record_id),
  constraint decision_outcomes_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id)
);
CREATE TRIGGER complete_outcome BEFORE INSERT ON app.decision_outcomes_default FOR EACH ROW EXECUTE FUNCTION app.complete_outcome();
alter table app.decision_outcomes_default enable always trigger complete_outcome;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.decision_outcomes_default FOR EACH ROW EXECUTE FUNCTION app.guard_outcome();
alter table app.decision_outcomes_default enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.decision_outcomes_default FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.decision_outcomes_default enable always trigger evidence_whole;
CREATE TRIGGER log_outcome AFTER INSERT ON app.decision_outcomes_default REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.log_new('outcome');
alter table app.decision_outcomes_default enable always trigger log_outcome;
CREATE TRIGGER note_grades AFTER INSERT ON app.decision_outcomes_default REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.note_grades();
alter table app.decision_outcomes_default enable always trigger note_grades;

create table app.decision_relations (
  record_id text not null,
  related_id text not null,
  relation text not null,
  constraint decision_relations_pkey PRIMARY KEY (record_id, related_id, relation),
  constraint decision_relations_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint decision_relations_related_id_fkey FOREIGN KEY (related_id) REFERENCES app.decisions(record_id)
);
CREATE INDEX decision_relations_related_id_idx ON app.decision_relations USING btree (related_id);
CREATE TRIGGER check_new_relation AFTER INSERT ON app.decision_relations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.check_new_evidence();
alter table app.decision_relations enable always trigger check_new_relation;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.decision_relations FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.decision_relations enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.decision_relations FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.decision_relations enable always trigger evidence_whole;
CREATE TRIGGER note_links AFTER INSERT ON app.decision_relations REFERENCING NEW TABLE AS said FOR EACH STATEMENT EXECUTE FUNCTION app.note_links();
grant insert, select on app.decision_relations to service;

create table app.decisions (
  record_id text not null,
  owner_id uuid not null,
  agent_id text not null,
  instrument text not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  submitted_symbol text not null,
  direction text not null,
  horizon_kind text not null,
  horizon_value integer not null,
  analysis_class text not null,
  perspective_type text,
  data_cutoff timestamp(3) with time zone not null,
  submission_time timestamp(3) with time zone not null,
  submission_origin text not null,
  anchor_time timestamp(3) with time zone not null,
  end_time timestamp(3) with time zone not null,
  settles_at timestamp(3) with time zone not null,
  cohort_key text not null,
  isolation_snapshot_id uuid,
  workflow_hash text,
  lifecycle_state text not null,
  due_at timestamp(3) with time zone,
  attempts integer not null default 0,
  last_error text,
  eval_token uuid,
  evaluated_at timestamp(3) with time zone,
  result_bucket text,
  created_regime jsonb,
  raw_return double precision,
  directional_return double precision,
  mfe double precision,
  mae double precision,
  archived_at timestamp(3) with time zone,
  archive_reason text,
  quarantined_at timestamp(3) with time zone,
  quarantine_reason text,
  listed_at timestamp(3) with time zone,
  listed_xid xid8,
  move smallint,
  method text not null default 'eval/1'::text,
  grid text,
  cohort_exception text,
  number integer,
  group_id text,
  group_place smallint,
  group_of smallint,
  name text,
  received_symbol text,
  received_cohort_key text,
  counted_since timestamp(3) with time zone,
  constraint decisions_pkey PRIMARY KEY (record_id),
  constraint decisions_check CHECK ((anchor_time < end_time)),
  constraint decisions_check1 CHECK (((lifecycle_state = ANY (ARRAY['verified'::text, 'evaluating'::text, 'deferred'::text])) = (due_at IS NOT NULL))),
  constraint decisions_check2 CHECK (((lifecycle_state = 'evaluating'::text) = (eval_token IS NOT NULL))),
  constraint decisions_check3 CHECK (((lifecycle_state <> 'evaluated'::text) OR ((evaluated_at IS NOT NULL) AND (result_bucket IS NOT NULL)))),
  constraint decisions_lifecycle_state_check CHECK ((lifecycle_state = ANY (ARRAY['pending_verify'::text, 'verified'::text, 'rejected'::text, 'evaluating'::text, 'deferred'::text, 'data_unavailable'::text, 'evaluated'::text, 'quarantined'::text]))),
  constraint decisions_record_id_check CHECK ((record_id ~ '^dec_[0-9]{8}_[0-9a-f]{8}$'::text)),
  constraint decisions_submission_origin_check CHECK ((submission_origin = ANY (ARRAY['realtime'::text, 'retroactive'::text]))),
  constraint finite_times CHECK ((isfinite(data_cutoff) AND isfinite(submission_time) AND isfinite(anchor_time) AND isfinite(end_time) AND isfinite(settles_at) AND isfinite(due_at) AND isfinite(evaluated_at) AND isfinite(archived_at) AND isfinite(quarantined_at) AND isfinite(listed_at))) NOT VALID,
  constraint group_members CHECK (((num_nulls(group_id, group_place, group_of) = ANY (ARRAY[0, 3])) AND ((group_id IS NULL) OR ((group_id ~ '^grp_[0-9a-f]{24}$'::text) AND ((group_of >= 2) AND (group_of <= 8)) AND ((group_place >= 1) AND (group_place <= group_of)))))),
  constraint later_names CHECK (((num_nulls(received_symbol, received_cohort_key, counted_since) = ANY (ARRAY[0, 3])) AND (received_symbol <> symbol) AND isfinite(counted_since))) NOT VALID,
  constraint require_audit_entry TRIGGER DEFERRABLE INITIALLY DEFERRED
);
comment on column app.decisions.due_at is 'When a sweep has to act: settled, to be retried, or the lease of an evaluation is over.';
comment on column app.decisions.listed_at is 'When the record was last made public; null while it is not.';
comment on column app.decisions.listed_xid is 'The transaction that made it public.';
comment on column app.decisions.move is 'moveRange of domain/grading/bucket.ts; null without an outcome, and until the sweep has read an older one.';
comment on column app.decisions.method is 'Fixed at receipt. A release that does not know it leaves the record alone.';
comment on column app.decisions.grid is 'fine or coarse: gridOf of domain/grading/grid.ts; null without an outcome that measures it.';
comment on column app.decisions.cohort_exception is 'cohortException of domain/grading/cohort-exception.ts; null for a record that cohorts count by its origin.';
comment on column app.decisions.number is 'Among the decisions of its agent, from 1 without gaps; null of decisions from before there were numbers.';
comment on column app.decisions.group_id is 'Of the group that the decision was submitted in; null of most. Shown to its owner alone.';
comment on column app.decisions.group_place is 'Among the horizons of the group, from 1. Cohorts count the others where a query pins their horizon.';
comment on column app.decisions.group_of is 'How many horizons the group has.';
comment on column app.decisions.name is 'Of the security on the date of the anchor, at its venue; null where it is the symbol, and of records of before.';
comment on column app.decisions.received_symbol is 'What the name was read as at receipt, for good, where a statement that was learned later reads it otherwise: symbol, instrument and cohort_key are then what the record counts under. Null of every other record.';
comment on column app.decisions.received_cohort_key is 'The same of cohort_key; the receipt has it, too.';
comment on column app.decisions.counted_since is 'When the statement was learned by which the record counts under its symbol.';
CREATE UNIQUE INDEX decision_groups ON app.decisions USING btree (group_id, group_place) WHERE (group_id IS NOT NULL);
CREATE INDEX decisions_due ON app.decisions USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX decisions_failed ON app.decisions USING btree (instrument) WHERE (lifecycle_state = ANY (ARRAY['rejected'::text, 'data_unavailable'::text]));
CREATE INDEX decisions_of_agent ON app.decisions USING btree (agent_id, submission_time DESC, record_id DESC);
CREATE INDEX decisions_of_owner ON app.decisions USING btree (owner_id, submission_time DESC, record_id DESC);
CREATE INDEX decisions_of_security ON app.decisions USING btree (agent_id, market, symbol, submission_time DESC);
CREATE INDEX decisions_unverified ON app.decisions USING btree (instrument) WHERE (lifecycle_state = 'pending_verify'::text);
CREATE INDEX decisions_without_move ON app.decisions USING btree (record_id) WHERE ((raw_return IS NOT NULL) AND (move IS NULL));
CREATE INDEX departed_by_instrument ON app.decisions USING btree (instrument) WHERE ((lifecycle_state = 'quarantined'::text) AND (evaluated_at IS NOT NULL));
CREATE INDEX evaluated_of_owner ON app.decisions USING btree (owner_id, evaluated_at) WHERE (evaluated_at IS NOT NULL);
CREATE INDEX further_horizons ON app.decisions USING btree (agent_id, submission_origin) WHERE (group_place > 1);
CREATE INDEX graded_of_agent ON app.decisions USING btree (agent_id, submission_origin) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX outcomes_of_owner ON app.decisions USING btree (owner_id, end_time) INCLUDE (agent_id, submission_origin, direction, result_bucket, move, method, cohort_exception) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_cohort_key ON app.decisions USING btree (cohort_key, data_cutoff, record_id, market, venue, quote_currency, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_direction ON app.decisions USING btree (market, analysis_class, direction, data_cutoff, record_id, perspective_type, grid) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_evaluation ON app.decisions USING btree (market, evaluated_at) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_horizon ON app.decisions USING btree (market, horizon_value, data_cutoff, record_id, horizon_kind, analysis_class, direction, perspective_type, venue, asset_class, quote_currency, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_instrument ON app.decisions USING btree (instrument, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_market ON app.decisions USING btree (market, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, symbol, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_symbol ON app.decisions USING btree (market, symbol, data_cutoff, record_id, venue, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_venue ON app.decisions USING btree (market, venue, data_cutoff, record_id, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) WHERE (lifecycle_state = 'evaluated'::text);
CREATE INDEX public_by_workflow ON app.decisions USING btree (workflow_hash, data_cutoff, record_id) WHERE ((lifecycle_state = 'evaluated'::text) AND (workflow_hash IS NOT NULL));
CREATE INDEX public_by_workflow_owner ON app.decisions USING btree (workflow_hash, owner_id, submission_time) WHERE ((lifecycle_state = 'evaluated'::text) AND (workflow_hash IS NOT NULL));
CREATE INDEX public_coarse ON app.decisions USING btree (market, data_cutoff, record_id) WHERE ((lifecycle_state = 'evaluated'::text) AND (grid = 'coarse'::text));
CREATE INDEX quarantined_by_submission ON app.decisions USING btree (submission_time DESC, record_id DESC) WHERE (lifecycle_state = 'quarantined'::text);
CREATE INDEX suspected_by_symbol ON app.decisions USING btree (market, symbol) WHERE ((lifecycle_state = 'evaluated'::text) AND (cohort_exception = 'suspected_split'::text));
CREATE INDEX ungraded_by_symbol ON app.decisions USING btree (market, symbol) WHERE (lifecycle_state = ANY (ARRAY['rejected'::text, 'data_unavailable'::text]));
CREATE INDEX unsettled_of_owner ON app.decisions USING btree (owner_id, lifecycle_state) WHERE (lifecycle_state = ANY (ARRAY['pending_verify'::text, 'evaluating'::text, 'deferred'::text]));
CREATE INDEX wrong_by_symbol ON app.decisions USING btree (market, symbol) WHERE ((lifecycle_state = 'evaluated'::text) AND (cohort_exception = 'wrong_security'::text));
CREATE STATISTICS app.horizons_of_markets (dependencies) ON market, horizon_kind, horizon_value FROM app.decisions;
CREATE STATISTICS app.symbols_of_markets (dependencies) ON market, symbol FROM app.decisions;
CREATE STATISTICS app.venues_of_markets (dependencies) ON market, venue, asset_class, quote_currency FROM app.decisions;
CREATE TRIGGER check_counted BEFORE UPDATE OF instrument, symbol, cohort_key, received_symbol, received_cohort_key, counted_since ON app.decisions FOR EACH ROW WHEN (((((((old.instrument IS DISTINCT FROM new.instrument) OR (old.symbol IS DISTINCT FROM new.symbol)) OR (old.cohort_key IS DISTINCT FROM new.cohort_key)) OR (old.received_symbol IS DISTINCT FROM new.received_symbol)) OR (old.received_cohort_key IS DISTINCT FROM new.received_cohort_key)) OR (old.counted_since IS DISTINCT FROM new.counted_since))) EXECUTE FUNCTION app.check_counted();
alter table app.decisions enable always trigger check_counted;
CREATE TRIGGER check_new_decision AFTER INSERT ON app.decisions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.check_new_decision();
alter table app.decisions enable always trigger check_new_decision;
CREATE TRIGGER check_received AFTER INSERT ON app.decisions FOR EACH ROW WHEN ((num_nonnulls(new.received_symbol, new.received_cohort_key, new.counted_since) > 0)) EXECUTE FUNCTION app.refuse_change('what a record was read as is its symbol when it is received');
alter table app.decisions enable always trigger check_received;
CREATE TRIGGER count_changed AFTER UPDATE ON app.decisions FOR EACH ROW WHEN (((app.is_public(old.lifecycle_state) OR app.is_public(new.lifecycle_state)) AND ((((old.lifecycle_state IS DISTINCT FROM new.lifecycle_state) OR (old.owner_id IS DISTINCT FROM new.owner_id)) OR (old.result_bucket IS DISTINCT FROM new.result_bucket)) OR (old.evaluated_at IS DISTINCT FROM new.evaluated_at)))) EXECUTE FUNCTION app.count_in_cohorts();
CREATE TRIGGER count_new AFTER INSERT ON app.decisions FOR EACH ROW WHEN (app.is_public(new.lifecycle_state)) EXECUTE FUNCTION app.count_in_cohorts();
CREATE TRIGGER count_removed AFTER DELETE ON app.decisions FOR EACH ROW WHEN (app.is_public(old.lifecycle_state)) EXECUTE FUNCTION app.count_in_cohorts();
CREATE TRIGGER drop_replies AFTER UPDATE ON app.decisions FOR EACH ROW WHEN ((app.is_public(old.lifecycle_state) OR app.is_public(new.lifecycle_state))) EXECUTE FUNCTION app.drop_replies_of_record();
alter table app.decisions enable always trigger drop_replies;
CREATE TRIGGER keep_decision BEFORE DELETE ON app.decisions FOR EACH ROW EXECUTE FUNCTION app.refuse_change('a decision stays');
alter table app.decisions enable always trigger keep_decision;
CREATE TRIGGER keep_decisions BEFORE TRUNCATE ON app.decisions FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change('a decision stays');
alter table app.decisions enable always trigger keep_decisions;
CREATE TRIGGER keep_grade BEFORE UPDATE OF evaluated_at, result_bucket, created_regime, raw_return, directional_return, mfe, mae, end_time, settles_at ON app.decisions FOR EACH ROW WHEN (((old.evaluated_at IS NOT NULL) AND (((((((((old.evaluated_at IS DISTINCT FROM new.evaluated_at) OR (old.result_bucket IS DISTINCT FROM new.result_bucket)) OR (old.created_regime IS DISTINCT FROM new.created_regime)) OR (old.raw_return IS DISTINCT FROM new.raw_return)) OR (old.directional_return IS DISTINCT FROM new.directional_return)) OR (old.mfe IS DISTINCT FROM new.mfe)) OR (old.mae IS DISTINCT FROM new.mae)) OR (old.end_time IS DISTINCT FROM new.end_time)) OR (old.settles_at IS DISTINCT FROM new.settles_at)))) EXECUTE FUNCTION app.refuse_change('a grade stays');
alter table app.decisions enable always trigger keep_grade;
CREATE TRIGGER keep_graded BEFORE UPDATE OF due_at, attempts, last_error, eval_token, move, grid, cohort_exception, archived_at, archive_reason, quarantined_at, quarantine_reason ON app.decisions FOR EACH ROW WHEN (((old.evaluated_at IS NOT NULL) AND (((((((((((old.due_at IS DISTINCT FROM new.due_at) OR (old.attempts IS DISTINCT FROM new.attempts)) OR (old.last_error IS DISTINCT FROM new.last_error)) OR (old.eval_token IS DISTINCT FROM new.eval_token)) OR (old.move IS DISTINCT FROM new.move)) OR (old.grid IS DISTINCT FROM new.grid)) OR (old.cohort_exception IS DISTINCT FROM new.cohort_exception)) OR (old.archived_at IS DISTINCT FROM new.archived_at)) OR (old.archive_reason IS DISTINCT FROM new.archive_reason)) OR (old.quarantined_at IS DISTINCT FROM new.quarantined_at)) OR (old.quarantine_reason IS DISTINCT FROM new.quarantine_reason)))) EXECUTE FUNCTION app.guard_graded();
alter table app.decisions enable always trigger keep_graded;
CREATE TRIGGER keep_state BEFORE UPDATE OF lifecycle_state, evaluated_at ON app.decisions FOR EACH ROW WHEN ((((old.evaluated_at IS NOT NULL) AND (new.lifecycle_state <> 'quarantined'::text) AND (NOT app.is_public(new.lifecycle_state))) OR ((old.evaluated_at IS NULL) AND (old.lifecycle_state = 'quarantined'::text) AND (new.lifecycle_state <> ALL (ARRAY['quarantined'::text, 'pending_verify'::text]))) OR ((old.evaluated_at IS NULL) AND app.is_public(new.lifecycle_state) AND (old.lifecycle_state <> 'evaluating'::text)) OR ((old.evaluated_at IS DISTINCT FROM new.evaluated_at) AND ((old.lifecycle_state <> 'evaluating'::text) OR (NOT app.is_public(new.lifecycle_state)))))) EXECUTE FUNCTION app.refuse_change('no move of a record leads there');
alter table app.decisions enable always trigger keep_state;
CREATE TRIGGER keep_submission BEFORE UPDATE OF record_id, owner_id, agent_id, market, venue, asset_class, quote_currency, direction, horizon_kind, horizon_value, analysis_class, perspective_type, data_cutoff, submission_time, submission_origin, method, anchor_time, isolation_snapshot_id, workflow_hash, number, name, group_id, group_place, group_of ON app.decisions FOR EACH ROW WHEN (((((((((((((((((((((((((old.record_id IS DISTINCT FROM new.record_id) OR (old.owner_id IS DISTINCT FROM new.owner_id)) OR (old.agent_id IS DISTINCT FROM new.agent_id)) OR (old.market IS DISTINCT FROM new.market)) OR (old.venue IS DISTINCT FROM new.venue)) OR (old.asset_class IS DISTINCT FROM new.asset_class)) OR (old.quote_currency IS DISTINCT FROM new.quote_currency)) OR (old.direction IS DISTINCT FROM new.direction)) OR (old.horizon_kind IS DISTINCT FROM new.horizon_kind)) OR (old.horizon_value IS DISTINCT FROM new.horizon_value)) OR (old.analysis_class IS DISTINCT FROM new.analysis_class)) OR (old.perspective_type IS DISTINCT FROM new.perspective_type)) OR (old.data_cutoff IS DISTINCT FROM new.data_cutoff)) OR (old.submission_time IS DISTINCT FROM new.submission_time)) OR (old.submission_origin IS DISTINCT FROM new.submission_origin)) OR (old.method IS DISTINCT FROM new.method)) OR (old.anchor_time IS DISTINCT FROM new.anchor_time)) OR (old.isolation_snapshot_id IS DISTINCT FROM new.isolation_snapshot_id)) OR (old.workflow_hash IS DISTINCT FROM new.workflow_hash)) OR (old.number IS DISTINCT FROM new.number)) OR (old.name IS DISTINCT FROM new.name)) OR (old.group_id IS DISTINCT FROM new.group_id)) OR (old.group_place IS DISTINCT FROM new.group_place)) OR (old.group_of IS DISTINCT FROM new.group_of))) EXECUTE FUNCTION app.refuse_change('what was submitted stays');
alter table app.decisions enable always trigger keep_submission;
CREATE TRIGGER keep_symbol BEFORE UPDATE OF submitted_symbol ON app.decisions FOR EACH ROW WHEN ((old.submitted_symbol IS DISTINCT FROM new.submitted_symbol)) EXECUTE FUNCTION app.keep_symbol();
alter table app.decisions enable always trigger keep_symbol;
CREATE TRIGGER log_decision AFTER INSERT ON app.decisions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.log_submitted();
alter table app.decisions enable always trigger log_decision;
CREATE TRIGGER log_move AFTER UPDATE ON app.decisions FOR EACH ROW WHEN (((old.lifecycle_state <> new.lifecycle_state) AND (app.closes(old.lifecycle_state) OR app.closes(new.lifecycle_state)))) EXECUTE FUNCTION app.log_move();
alter table app.decisions enable always trigger log_move;
CREATE TRIGGER note_change AFTER UPDATE ON app.decisions FOR EACH ROW WHEN ((((old.archived_at IS NULL) <> (new.archived_at IS NULL)) OR ((app.has_closed(old.lifecycle_state) OR app.has_closed(new.lifecycle_state)) AND (((((old.lifecycle_state IS DISTINCT FROM new.lifecycle_state) OR (old.result_bucket IS DISTINCT FROM new.result_bucket)) OR (old.last_error IS DISTINCT FROM new.last_error)) OR (old.move IS DISTINCT FROM new.move)) OR (old.cohort_exception IS DISTINCT FROM new.cohort_exception))))) EXECUTE FUNCTION app.note_change();
CREATE TRIGGER note_first_listing BEFORE INSERT ON app.decisions FOR EACH ROW WHEN (app.is_public(new.lifecycle_state)) EXECUTE FUNCTION app.note_listing();
CREATE TRIGGER note_listing BEFORE UPDATE ON app.decisions FOR EACH ROW WHEN ((app.is_public(old.lifecycle_state) <> app.is_public(new.lifecycle_state))) EXECUTE FUNCTION app.note_listing();
CREATE TRIGGER note_move AFTER UPDATE ON app.decisions FOR EACH ROW WHEN (((old.lifecycle_state <> new.lifecycle_state) AND (app.event_of(old.lifecycle_state, new.lifecycle_state, (new.attempts > old.attempts)) IS NOT NULL))) EXECUTE FUNCTION app.note_move();
alter table app.decisions enable always trigger note_move;
CREATE TRIGGER note_received AFTER INSERT ON app.decisions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.note_received();
CREATE CONSTRAINT TRIGGER require_audit_entry AFTER UPDATE ON app.decisions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.lifecycle_state = 'quarantined'::text) <> (new.lifecycle_state = 'quarantined'::text))) EXECUTE FUNCTION app.require_audit_entry();
alter table app.decisions enable always trigger require_audit_entry;
CREATE TRIGGER require_outcome AFTER UPDATE OF evaluated_at ON app.decisions FOR EACH ROW WHEN (((old.evaluated_at IS NULL) AND (new.evaluated_at IS NOT NULL))) EXECUTE FUNCTION app.require_outcome();
alter table app.decisions enable always trigger require_outcome;
CREATE TRIGGER show_links AFTER UPDATE OF lifecycle_state ON app.decisions FOR EACH ROW WHEN ((app.is_public(old.lifecycle_state) <> app.is_public(new.lifecycle_state))) EXECUTE FUNCTION app.show_links();
grant insert, select on app.decisions to service;
grant update (end_time, settles_at, lifecycle_state, due_at, attempts, last_error, eval_token, evaluated_at, result_bucket, created_regime, raw_return, directional_return, mfe, mae, archived_at, archive_reason, quarantined_at, quarantine_reason, move, grid, cohort_exception) on app.decisions to service;

create table app.device_sign_ins (
  code_hash bytea not null,
  sealed_code bytea not null,
  status text not null,
  owner_id uuid,
  poll_every integer not null,
  next_poll_at timestamp(3) with time zone not null,
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint device_sign_ins_pkey PRIMARY KEY (code_hash),
  constraint device_sign_ins_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint device_sign_ins_check CHECK (((owner_id IS NOT NULL) = (status = ANY (ARRAY['approved'::text, 'consumed'::text])))),
  constraint device_sign_ins_check1 CHECK (((lease_token IS NULL) = (lease_until IS NULL))),
  constraint device_sign_ins_check2 CHECK (((lease_token IS NULL) OR (status = 'pending'::text))),
  constraint device_sign_ins_code_hash_check CHECK ((length(code_hash) = 32)),
  constraint device_sign_ins_poll_every_check CHECK ((poll_every > 0)),
  constraint device_sign_ins_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'expired'::text, 'spent'::text, 'consumed'::text])))
);
comment on column app.device_sign_ins.sealed_code is 'Opened by the device code alone, of which only the hash is here.';
comment on column app.device_sign_ins.poll_every is 'Milliseconds.';
CREATE INDEX device_sign_ins_owner_id_idx ON app.device_sign_ins USING btree (owner_id);
grant delete, insert, select on app.device_sign_ins to service;
grant update (status, owner_id, poll_every, next_poll_at, lease_token, lease_until) on app.device_sign_ins to service;

create table app.erasures (
  owner_id uuid not null,
  removed_at timestamp(3) with time zone not null default app.now(),
  after_record text,
  has_skipped boolean not null default false,
  records bigint not null default 0,
  ended_at timestamp(3) with time zone,
  constraint erasures_pkey PRIMARY KEY (owner_id)
);
comment on table app.erasures is 'Owners whose accounts are gone, and what they wrote with them; the rows stay.';
comment on column app.erasures.after_record is 'The last record that the pass over the records of the owner has reached.';
comment on column app.erasures.has_skipped is 'The pass left out records that were in use, so there will be another one.';
comment on column app.erasures.records is 'Records whose text is erased.';
CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE ON app.erasures FOR EACH ROW EXECUTE FUNCTION app.guard_erasure();
alter table app.erasures enable always trigger guard;
CREATE TRIGGER guard_whole BEFORE TRUNCATE ON app.erasures FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change('it is of owners whose accounts are gone, and stays');
alter table app.erasures enable always trigger guard_whole;
grant select on app.erasures to service;

create table app.events (
  seq bigint not null generated always as identity (increment by 2),
  "position" bigint not null,
  id uuid not null default gen_random_uuid(),
  at timestamp(3) with time zone not null default app.now(),
  type text not null,
  owner_id uuid,
  agent_id text,
  data jsonb,
  record_id text,
  state text,
  result_bucket text,
  constraint events_pkey PRIMARY KEY (seq)
);
comment on column app.events.seq is 'The next number is that of the credit, where a row stands for a grade and its credit.';
comment on column app.events."position" is 'Not before the transaction that wrote the row, and after each that had committed by then; see app.event_position.';
comment on column app.events.owner_id is 'Null for what concerns everybody.';
comment on column app.events.data is 'Null for events of decisions: made of record_id, agent_id, state and result_bucket.';
CREATE INDEX events_of_owner ON app.events USING btree (owner_id, "position", seq);
grant delete, insert, select on app.events to service;

create table app.evidence_bars (
  digest text not null,
  content text not null,
  constraint evidence_bars_pkey PRIMARY KEY (digest),
  constraint digest_of_content CHECK ((digest = encode(sha256(convert_to(content, 'UTF8'::name)), 'hex'::text)))
);
comment on table app.evidence_bars is 'Stretches of bars that outcomes were computed from; outcomes share them.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.evidence_bars FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.evidence_bars enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.evidence_bars FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.evidence_bars enable always trigger evidence_whole;
grant insert, select on app.evidence_bars to service;

create table app.expiry_passes (
  table_name text not null,
  page bigint not null default 0,
  began_at timestamp(3) with time zone not null,
  clean_until timestamp(3) with time zone,
  deleted bigint not null default 0,
  constraint expiry_passes_pkey PRIMARY KEY (table_name)
);
comment on column app.expiry_passes.page is 'The first page of the table that the pass has not reached.';
comment on column app.expiry_passes.clean_until is 'When the last whole pass began.';
grant insert, select on app.expiry_passes to service;
grant update (page, began_at, clean_until, deleted) on app.expiry_passes to service;

create table app.factor_resets (
  owner_id uuid not null,
  evidence text not null,
  actor text not null,
  requested_at timestamp(3) with time zone not null default app.now(),
  due_at timestamp(3) with time zone not null,
  constraint factor_resets_pkey PRIMARY KEY (owner_id),
  constraint factor_resets_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint factor_resets_check CHECK ((due_at >= requested_at)),
  constraint factor_resets_evidence_check CHECK (((length(evidence) >= 1) AND (length(evidence) <= 40)))
);
comment on table app.factor_resets is 'Requested by operators, and neither done nor taken back: both delete the row.';
comment on column app.factor_resets.evidence is 'How the operator has identified the person: a word of RESET_EVIDENCE in domain/accounts/factors.';
CREATE INDEX factor_resets_due ON app.factor_resets USING btree (due_at);
grant delete, insert, select on app.factor_resets to service;

create table app.faulty_records (
  record_id text not null,
  parts text[] not null,
  noted_at timestamp(3) with time zone not null,
  constraint faulty_records_pkey PRIMARY KEY (record_id)
);
comment on table app.faulty_records is 'Found by any process; prune-expired reads them again and removes those that can be read.';
comment on column app.faulty_records.parts is 'Words of FAULT_PARTS in domain/decisions/views/record-fault.ts.';
CREATE INDEX faulty_records_noted_at ON app.faulty_records USING btree (noted_at);
grant delete, insert, select on app.faulty_records to service;
grant update (parts, noted_at) on app.faulty_records to service;

create table app.feed_start (
  only_one boolean not null default true,
  "position" bigint not null,
  constraint feed_start_pkey PRIMARY KEY (only_one),
  constraint feed_start_only_one_check CHECK (only_one)
);
comment on table app.feed_start is 'Records whose transaction is not behind the position came with a restore, or were received by a release before this table: their submissions come first in the feed.';
grant select on app.feed_start to service;

create table app.idempotency (
  agent_id text not null,
  key text not null,
  fingerprint bytea not null,
  record_id text not null,
  created_at timestamp(3) with time zone not null,
  constraint idempotency_pkey PRIMARY KEY (agent_id, key),
  constraint idempotency_fingerprint_check CHECK ((length(fingerprint) = 32))
);
grant delete, insert, select on app.idempotency to service;
grant update (fingerprint, record_id, created_at) on app.idempotency to service;

create table app.identities (
  issuer text not null,
  subject text not null,
  owner_id uuid not null,
  created_at timestamp(3) with time zone not null,
  constraint identities_pkey PRIMARY KEY (issuer, subject),
  constraint identities_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE
);
CREATE INDEX identities_owner_id_idx ON app.identities USING btree (owner_id);
grant insert, select on app.identities to service;

create table app.instrument_refreshes (
  instrument text not null,
  job_id uuid not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  requested_at timestamp(3) with time zone not null,
  constraint instrument_refreshes_pkey PRIMARY KEY (instrument),
  constraint instrument_refreshes_job_id_key UNIQUE (job_id)
);
comment on table app.instrument_refreshes is 'Instruments to be asked for whatever is known of them; a row goes when that is done.';
grant delete, insert, select on app.instrument_refreshes to service;
grant update (requested_at) on app.instrument_refreshes to service;

create table app.instruments (
  instrument text not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  status text not null,
  listing jsonb,
  history_from timestamp(3) with time zone,
  checked_at timestamp(3) with time zone not null,
  retry_at timestamp(3) with time zone,
  attempts integer not null default 0,
  last_error text,
  constraint instruments_pkey PRIMARY KEY (instrument),
  constraint instruments_status_check CHECK ((status = ANY (ARRAY['verified'::text, 'rejected'::text, 'unreachable'::text])))
);
grant insert, select on app.instruments to service;
grant update (status, listing, history_from, checked_at, retry_at, attempts, last_error) on app.instruments to service;

create table app.job_runs (
  job text not null,
  last_started_at timestamp(3) with time zone,
  last_succeeded_at timestamp(3) with time zone,
  last_failed_at timestamp(3) with time zone,
  last_error text,
  failures integer not null,
  constraint job_runs_pkey PRIMARY KEY (job),
  constraint job_runs_failures_check CHECK ((failures >= 0))
);
comment on column app.job_runs.failures is 'Failed runs since the last one that succeeded.';
grant insert, select on app.job_runs to service;
grant update (last_started_at, last_succeeded_at, last_failed_at, last_error, failures) on app.job_runs to service;

create table app.kept_days (
  subject bytea not null,
  kind text not null,
  day date not null,
  kept integer not null,
  bytes bigint not null,
  most integer not null,
  most_bytes bigint not null,
  constraint kept_days_pkey PRIMARY KEY (subject, kind, day),
  constraint kept_days_bytes_check CHECK ((bytes >= 0)),
  constraint kept_days_check CHECK (((kept <= most) AND (bytes <= most_bytes))),
  constraint kept_days_kept_check CHECK ((kept >= 0)),
  constraint kept_days_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 40))),
  constraint kept_days_subject_check CHECK ((length(subject) = 32))
) with (fillfactor=70);
comment on table app.kept_days is 'What was kept for ever on a UTC day, by kind; app.keep counts it in the transaction that writes it.';
comment on column app.kept_days.subject is 'SHA-256 of an owner, or of the keyed hash of a network.';
comment on column app.kept_days.most is 'The limit when something was last kept.';
grant delete, insert, select on app.kept_days to service;
grant update (kept, bytes, most, most_bytes) on app.kept_days to service;

create table app.legal_acceptances (
  owner_id uuid not null,
  accepted_at timestamp(3) with time zone not null,
  terms_version text not null,
  privacy_version text not null,
  source text not null,
  seq bigint not null generated always as identity,
  constraint legal_acceptances_pkey PRIMARY KEY (seq),
  constraint legal_acceptances_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE
);
CREATE INDEX legal_acceptances_owner_id_seq_idx ON app.legal_acceptances USING btree (owner_id, seq DESC);
grant insert, select on app.legal_acceptances to service;

create table app.limits_floor (
  only_one boolean not null default true,
  at timestamp(3) with time zone not null,
  constraint limits_floor_pkey PRIMARY KEY (only_one),
  constraint limits_floor_only_one_check CHECK (only_one)
);
comment on table app.limits_floor is 'Counters from before it have been forgotten, so no window and no day before it opens again.';
grant select on app.limits_floor to service;
grant update (at) on app.limits_floor to service;

create table app.log_bundles (
  log integer not null,
  index bigint not null,
  leaves bytea not null,
  constraint log_bundles_pkey PRIMARY KEY (log, index),
  constraint log_bundles_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
CREATE TRIGGER bundle_grows BEFORE UPDATE ON app.log_bundles FOR EACH ROW WHEN ((((new.log <> old.log) OR (new.index <> old.index)) OR (substr(new.leaves, 1, length(old.leaves)) <> old.leaves))) EXECUTE FUNCTION app.refuse_change('a bundle only grows');
alter table app.log_bundles enable always trigger bundle_grows;
CREATE TRIGGER bundle_stays BEFORE DELETE ON app.log_bundles FOR EACH ROW EXECUTE FUNCTION app.refuse_change('a log is never cut');
alter table app.log_bundles enable always trigger bundle_stays;
CREATE TRIGGER bundles_stay BEFORE TRUNCATE ON app.log_bundles FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change('a log is never cut');
alter table app.log_bundles enable always trigger bundles_stay;
grant insert, select on app.log_bundles to service;
grant update (leaves) on app.log_bundles to service;

create table app.log_checkpoints (
  log integer not null,
  size bigint not null,
  root bytea not null,
  signature bytea,
  signed_at timestamp(3) with time zone,
  key_id text,
  served_from timestamp(3) with time zone,
  witnessed_at timestamp(3) with time zone,
  constraint log_checkpoints_pkey PRIMARY KEY (log, size),
  constraint log_checkpoints_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
comment on table app.log_checkpoints is 'The tree after each batch: at one size, one root. It is signed once it is stored.';
comment on column app.log_checkpoints.key_id is 'Of the signature; null: the key of app.logs.';
comment on column app.log_checkpoints.served_from is 'Before, it is served only with a quorum of witnesses.';
CREATE INDEX log_checkpoints_witnessed ON app.log_checkpoints USING btree (log, size) WHERE (witnessed_at IS NOT NULL);
CREATE TRIGGER checkpoint_kept BEFORE DELETE ON app.log_checkpoints FOR EACH ROW EXECUTE FUNCTION app.refuse_change('a log is never cut');
alter table app.log_checkpoints enable always trigger checkpoint_kept;
CREATE TRIGGER checkpoint_stays BEFORE UPDATE ON app.log_checkpoints FOR EACH ROW WHEN ((((new.log <> old.log) OR (new.size <> old.size) OR (new.root <> old.root)) OR ((old.signature IS NOT NULL) AND ((((new.signature IS DISTINCT FROM old.signature) OR (new.key_id IS DISTINCT FROM old.key_id)) OR (new.signed_at IS DISTINCT FROM old.signed_at)) OR (new.served_from IS DISTINCT FROM old.served_from))) OR (old.witnessed_at <> COALESCE(new.witnessed_at, '-infinity'::timestamp with time zone)))) EXECUTE FUNCTION app.refuse_change('a checkpoint stays');
alter table app.log_checkpoints enable always trigger checkpoint_stays;
CREATE TRIGGER checkpoints_stay BEFORE TRUNCATE ON app.log_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change('a log is never cut');
alter table app.log_checkpoints enable always trigger checkpoints_stay;
grant insert, select on app.log_checkpoints to service;
grant update (signature, signed_at, key_id, served_from, witnessed_at) on app.log_checkpoints to service;

create table app.log_datasets (
  log integer not null,
  index bigint not null,
  month text not null,
  constraint log_datasets_pkey PRIMARY KEY (log, index),
  constraint log_datasets_month_key UNIQUE (month),
  constraint log_datasets_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log),
  constraint log_datasets_month_fkey FOREIGN KEY (month) REFERENCES app.datasets(month)
);
comment on table app.log_datasets is 'The leaf that commits to the SHA256SUMS of a snapshot.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_datasets FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_datasets enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_datasets FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_datasets enable always trigger evidence_whole;
grant insert, select on app.log_datasets to service;

create table app.log_decisions (
  record_id text not null,
  log integer not null,
  index bigint not null,
  public_salt bytea not null,
  producer bytea not null,
  constraint log_decisions_pkey PRIMARY KEY (record_id, log),
  constraint log_decisions_log_index_key UNIQUE (log, index),
  constraint log_decisions_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
CREATE TRIGGER drop_replies AFTER INSERT ON app.log_decisions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.drop_replies_of_leaves();
alter table app.log_decisions enable always trigger drop_replies;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_decisions FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_decisions enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_decisions FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_decisions enable always trigger evidence_whole;
grant insert, select on app.log_decisions to service;

create table app.log_heads (
  log integer not null,
  index bigint not null,
  day date not null,
  seq bigint not null,
  seal text not null,
  salt bytea not null,
  constraint log_heads_pkey PRIMARY KEY (log, index),
  constraint log_heads_log_day_key UNIQUE (log, day),
  constraint log_heads_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
comment on table app.log_heads is 'The head of the audit log at the first batch of a day, and the index of its leaf.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_heads FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_heads enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_heads FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_heads enable always trigger evidence_whole;
grant insert, select on app.log_heads to service;

create table app.log_keys (
  log integer not null,
  key_id text not null,
  public_key bytea not null,
  since timestamp(3) with time zone not null default app.now(),
  constraint log_keys_pkey PRIMARY KEY (log, key_id),
  constraint log_keys_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log),
  constraint log_keys_public_key_check CHECK ((length(public_key) = 32))
);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_keys FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_keys enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_keys FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_keys enable always trigger evidence_whole;
grant insert, select on app.log_keys to service;

create table app.log_names (
  log integer not null,
  index bigint not null,
  learned_at text collate "C" not null,
  constraint log_names_pkey PRIMARY KEY (log, index),
  constraint log_names_learned_at_key UNIQUE (learned_at),
  constraint log_names_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
comment on table app.log_names is 'The leaf that commits to the statements of an import.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_names FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_names enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_names FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_names enable always trigger evidence_whole;
grant insert, select on app.log_names to service;

create table app.log_outcomes (
  record_id text not null,
  log integer not null,
  index bigint not null,
  outcome_salt bytea not null,
  evidence_salt bytea not null,
  evidence bytea not null,
  shown jsonb not null,
  constraint log_outcomes_pkey PRIMARY KEY (record_id, log),
  constraint log_outcomes_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
comment on column app.log_outcomes.shown is 'The facts that others see with another value: a calendar may change later.';
CREATE INDEX log_outcomes_place ON app.log_outcomes USING btree (log, index);
CREATE TRIGGER drop_replies AFTER INSERT ON app.log_outcomes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.drop_replies_of_leaves();
alter table app.log_outcomes enable always trigger drop_replies;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_outcomes FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_outcomes enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_outcomes FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_outcomes enable always trigger evidence_whole;
grant insert, select on app.log_outcomes to service;

create table app.log_pending (
  record_id text not null,
  seq bigint not null generated by default as identity,
  event text not null,
  reason text,
  imported boolean not null default false,
  ready_at timestamp(3) with time zone not null,
  mark bytea,
  producer bytea,
  constraint log_pending_pkey PRIMARY KEY (record_id, seq),
  constraint log_pending_event_check CHECK ((event = ANY (ARRAY['decision'::text, 'numbered'::text, 'imported'::text, 'outcome'::text, 'closed'::text, 'reopened'::text])))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000);
comment on table app.log_pending is 'What happened to decisions and has no leaf yet; triggers write it.';
comment on column app.log_pending.mark is 'Of a numbered decision whose owner was erased before it had its leaf, as producer.';
CREATE INDEX log_pending_ready ON app.log_pending USING btree (imported, ready_at);
grant delete, insert, select on app.log_pending to service;

create table app.log_pending_plans (
  plan_id uuid not null,
  imported boolean not null default false,
  ready_at timestamp(3) with time zone not null,
  constraint log_pending_plans_pkey PRIMARY KEY (plan_id)
);
comment on table app.log_pending_plans is 'Plans that have no leaf in the newest log yet; a trigger writes it.';
CREATE INDEX log_pending_plans_ready ON app.log_pending_plans USING btree (imported, ready_at);
grant delete, insert, select on app.log_pending_plans to service;

create table app.log_plans (
  plan_id uuid not null,
  log integer not null,
  index bigint not null,
  constraint log_plans_pkey PRIMARY KEY (plan_id, log),
  constraint log_plans_log_index_key UNIQUE (log, index),
  constraint log_plans_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_plans FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_plans enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_plans FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_plans enable always trigger evidence_whole;
grant insert, select on app.log_plans to service;

create table app.log_signatures (
  log integer not null,
  size bigint not null,
  name text not null,
  key_id text not null,
  signature bytea not null,
  at timestamp(3) with time zone not null default app.now(),
  constraint log_signatures_pkey PRIMARY KEY (log, size, name, key_id),
  constraint log_signatures_log_size_fkey FOREIGN KEY (log, size) REFERENCES app.log_checkpoints(log, size)
);
comment on table app.log_signatures is 'By witnesses, the first of each; by a second key of the log while it changes its key.';
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.log_signatures FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.log_signatures enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.log_signatures FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.log_signatures enable always trigger evidence_whole;
grant insert, select on app.log_signatures to service;

create table app.log_tiles (
  log integer not null,
  level smallint not null,
  index bigint not null,
  hashes bytea not null storage e,
  constraint log_tiles_pkey PRIMARY KEY (log, level, index),
  constraint log_tiles_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
CREATE TRIGGER tile_grows BEFORE UPDATE ON app.log_tiles FOR EACH ROW WHEN ((((new.log <> old.log) OR (new.level <> old.level) OR (new.index <> old.index)) OR (substr(new.hashes, 1, length(old.hashes)) <> old.hashes))) EXECUTE FUNCTION app.refuse_change('a tile only grows');
alter table app.log_tiles enable always trigger tile_grows;
CREATE TRIGGER tile_stays BEFORE DELETE ON app.log_tiles FOR EACH ROW EXECUTE FUNCTION app.refuse_change('a log is never cut');
alter table app.log_tiles enable always trigger tile_stays;
CREATE TRIGGER tiles_stay BEFORE TRUNCATE ON app.log_tiles FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change('a log is never cut');
alter table app.log_tiles enable always trigger tiles_stay;
grant insert, select on app.log_tiles to service;
grant update (hashes) on app.log_tiles to service;

create table app.log_witnesses (
  log integer not null,
  name text not null,
  key_id text not null,
  size bigint not null,
  signature bytea,
  cosigned_at timestamp(3) with time zone,
  refused boolean not null,
  constraint log_witnesses_pkey PRIMARY KEY (log, name, key_id),
  constraint log_witnesses_log_fkey FOREIGN KEY (log) REFERENCES app.logs(log)
);
comment on table app.log_witnesses is 'The newest cosignature of each witness, and whether it refused a checkpoint since.';
grant insert, select on app.log_witnesses to service;
grant update (size, signature, cosigned_at, refused) on app.log_witnesses to service;

create table app.login_attempts (
  account_hash bytea not null,
  window_start timestamp(3) with time zone not null,
  used integer not null,
  constraint login_attempts_pkey PRIMARY KEY (account_hash),
  constraint login_attempts_account_hash_check CHECK ((length(account_hash) = 32)),
  constraint login_attempts_used_check CHECK ((used >= 0))
);
comment on table app.login_attempts is 'Attempts in a fixed window, that failed or are under way, by a hash of what is counted: logins to an account, of a known device or network, password changes of an owner, new accounts of a network and of all.';
grant delete, insert, select on app.login_attempts to service;
grant update (window_start, used) on app.login_attempts to service;

create table app.logs (
  log integer not null,
  origin text not null,
  key_id text not null,
  started_at timestamp(3) with time zone not null default app.now(),
  tree integer,
  constraint logs_pkey PRIMARY KEY (log),
  constraint logs_origin_key UNIQUE (origin),
  constraint logs_tree_fkey FOREIGN KEY (tree) REFERENCES app.logs(log),
  constraint logs_check CHECK ((tree < log)),
  constraint logs_log_check CHECK ((log > 0))
);
comment on column app.logs.tree is 'The log under whose number the leaves are stored that this one shares; null: this one, whose leaves are its own.';
CREATE TRIGGER drop_replies AFTER INSERT ON app.logs FOR EACH STATEMENT EXECUTE FUNCTION app.drop_all_replies();
alter table app.logs enable always trigger drop_replies;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.logs FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.logs enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.logs FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.logs enable always trigger evidence_whole;
grant insert, select on app.logs to service;

create table app.mails (
  mail_id uuid not null,
  kind text not null,
  on_request boolean not null,
  owner_id uuid,
  address_hash bytea not null,
  content bytea,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  failure text,
  due_at timestamp(3) with time zone default app.now(),
  token uuid,
  created_at timestamp(3) with time zone not null default app.now(),
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  constraint mails_pkey PRIMARY KEY (mail_id),
  constraint mails_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE SET NULL,
  constraint mails_attempts_check CHECK ((attempts >= 0)),
  constraint mails_check CHECK (((status = 'pending'::text) = (due_at IS NOT NULL))),
  constraint mails_check1 CHECK (((status = 'pending'::text) = (content IS NOT NULL))),
  constraint mails_check2 CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
  constraint mails_check3 CHECK (((token IS NULL) OR (status = 'pending'::text))),
  constraint mails_failure_check CHECK ((failure ~ '^[a-z_]{1,40}$'::text)),
  constraint mails_kind_check CHECK ((kind ~ '^[a-z_]{1,40}$'::text)),
  constraint mails_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'void'::text])))
);
comment on column app.mails.on_request is 'Somebody asked for it, and no preference switches it off; else it is a notice.';
comment on column app.mails.owner_id is 'Null also before it is known whether the address has an account.';
comment on column app.mails.address_hash is 'A keyed hash of the folded address.';
comment on column app.mails.content is 'Address and facts, sealed under a key that derives from SESSION_SECRET; removed at its end.';
comment on column app.mails.token is 'Of the process that sends it, until due_at.';
CREATE INDEX mails_due ON app.mails USING btree (due_at) WHERE (status = 'pending'::text);
CREATE INDEX mails_of_owner ON app.mails USING btree (owner_id);
CREATE INDEX mails_to_address ON app.mails USING btree (address_hash, created_at);
CREATE TRIGGER end_mail BEFORE UPDATE OF owner_id ON app.mails FOR EACH ROW WHEN (((old.owner_id IS NOT NULL) AND (new.owner_id IS NULL) AND (old.status = 'pending'::text))) EXECUTE FUNCTION app.end_mail();
alter table app.mails enable always trigger end_mail;
grant delete, insert, select on app.mails to service;
grant update (owner_id, content, status, attempts, failure, due_at, token, ended_at) on app.mails to service;

create table app.names (
  id integer not null,
  line text not null,
  market text not null generated always as (((line)::jsonb ->> 'market'::text)) stored,
  name text not null generated always as (((line)::jsonb ->> 'name'::text)) stored,
  key text not null generated always as (((line)::jsonb ->> 'key'::text)) stored,
  withdraws integer generated always as ((((line)::jsonb ->> 'withdraws'::text))::integer) stored,
  learned_at text collate "C" not null generated always as (((line)::jsonb ->> 'learned_at'::text)) stored,
  constraint names_pkey PRIMARY KEY (id),
  constraint names_withdraws_key UNIQUE (withdraws),
  constraint names_withdraws_fkey FOREIGN KEY (withdraws) REFERENCES app.names(id),
  constraint names_id_check CHECK ((id > 0))
);
comment on table app.names is 'Statements about names, in the order in which they were learned; a withdrawal is one, too.';
comment on column app.names.line is 'RFC 8785. SHA-256 of the lines of an import, each with its line feed, is in its leaf.';
comment on column app.names.learned_at is 'RFC 3339; the same for all statements of one import, and for no other.';
CREATE INDEX names_learned_at ON app.names USING btree (learned_at);
CREATE TRIGGER check_new_names AFTER INSERT ON app.names REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.check_new_names();
alter table app.names enable always trigger check_new_names;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.names FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.names enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.names FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.names enable always trigger evidence_whole;
grant insert, select on app.names to service;

create table app.one_time_links (
  token_hash bytea not null,
  owner_id uuid not null,
  purpose text not null,
  bound_to bytea not null,
  mailed boolean not null,
  created_at timestamp(3) with time zone not null default app.now(),
  expires_at timestamp(3) with time zone not null,
  constraint one_time_links_pkey PRIMARY KEY (token_hash),
  constraint one_time_links_owner_id_purpose_key UNIQUE (owner_id, purpose),
  constraint one_time_links_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint one_time_links_purpose_check CHECK ((purpose ~ '^[a-z_]{1,40}$'::text))
);
comment on table app.one_time_links is 'An owner has one link of a purpose: a new one replaces it.';
comment on column app.one_time_links.bound_to is 'A hash of what the link is for, such as the password that it replaces.';
comment on column app.one_time_links.mailed is 'Sent to the address of the owner alone, so that its use confirms the address.';
grant delete, insert, select on app.one_time_links to service;
grant update (token_hash, bound_to, mailed, created_at, expires_at) on app.one_time_links to service;

create table app.outcome_evidence (
  record_id text not null,
  digest text not null,
  document text not null,
  path_bars text[] not null,
  daily_bars text[] not null,
  constraint outcome_evidence_pkey PRIMARY KEY (record_id),
  constraint outcome_evidence_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint digest_of_document CHECK ((digest = encode(sha256(convert_to(document, 'UTF8'::name)), 'hex'::text)))
) partition by RANGE (record_id);
comment on column app.outcome_evidence.path_bars is 'Digests of evidence_bars in the order of time, as the document names them.';
CREATE TRIGGER check_new_evidence AFTER INSERT ON app.outcome_evidence REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.check_new_evidence();
alter table app.outcome_evidence enable always trigger check_new_evidence;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.outcome_evidence FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.outcome_evidence enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.outcome_evidence FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.outcome_evidence enable always trigger evidence_whole;
grant insert, select on app.outcome_evidence to service;

-- partition app.outcome_evidence_N of app.outcome_evidence (
  constraint outcome_evidence_N_pkey PRIMARY KEY (record_id),
  constraint outcome_evidence_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint digest_of_document CHECK ((digest = encode(sha256(convert_to(document, 'UTF8'::name)), 'hex'::text)))
);
CREATE TRIGGER check_new_evidence AFTER INSERT ON app.outcome_evidence_N REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.check_new_evidence();
alter table app.outcome_evidence_N enable always trigger check_new_evidence;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.outcome_evidence_N FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.outcome_evidence_N enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.outcome_evidence_N FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.outcome_evidence_N enable always trigger evidence_whole;

-- partition app.outcome_evidence_default of app.outcome_evidence (
  constraint outcome_evidence_default_pkey PRIMARY KEY (record_id),
  constraint outcome_evidence_record_id_fkey FOREIGN KEY (record_id) REFERENCES app.decisions(record_id),
  constraint digest_of_document CHECK ((digest = encode(sha256(convert_to(document, 'UTF8'::name)), 'hex'::text)))
);
CREATE TRIGGER check_new_evidence AFTER INSERT ON app.outcome_evidence_default REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.check_new_evidence();
alter table app.outcome_evidence_default enable always trigger check_new_evidence;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.outcome_evidence_default FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.outcome_evidence_default enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.outcome_evidence_default FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.outcome_evidence_default enable always trigger evidence_whole;

create table app.owners (
  owner_id uuid not null,
  email text,
  email_folded text,
  password_hash text,
  role text not null default 'owner'::text,
  tier text not null default 'free'::text,
  preferences jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null,
  suspended_at timestamp(3) with time zone,
  email_confirmed_at timestamp(3) with time zone,
  erases_at timestamp(3) with time zone,
  events_read jsonb,
  constraint owners_pkey PRIMARY KEY (owner_id),
  constraint owners_email_folded_key UNIQUE (email_folded),
  constraint owners_check CHECK (((email IS NULL) = (email_folded IS NULL))),
  constraint owners_check1 CHECK (((email_confirmed_at IS NULL) OR (email IS NOT NULL))),
  constraint owners_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text]))),
  constraint owners_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'pro'::text]))),
  constraint require_account_entry TRIGGER DEFERRABLE INITIALLY DEFERRED
);
comment on column app.owners.suspended_at is 'Set by operators alone; the reason is in the audit log.';
comment on column app.owners.email_confirmed_at is 'When a link that was mailed to the address was used first.';
comment on column app.owners.erases_at is 'When the account will be erased, unless its owner takes that back; null: it stays.';
comment on column app.owners.events_read is 'A place of the feed, and when the feed ended there; null: the owner has read nothing.';
CREATE INDEX confirmed_owners ON app.owners USING btree (owner_id) WHERE (email_confirmed_at IS NOT NULL);
CREATE INDEX owners_to_erase ON app.owners USING btree (erases_at) WHERE (erases_at IS NOT NULL);
CREATE TRIGGER refuse_given_rights BEFORE INSERT ON app.owners FOR EACH ROW WHEN (((new.role <> 'owner'::text) OR (new.tier <> 'free'::text))) EXECUTE FUNCTION app.refuse_given_rights();
alter table app.owners enable always trigger refuse_given_rights;
CREATE CONSTRAINT TRIGGER require_account_entry AFTER UPDATE ON app.owners DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((((old.tier IS DISTINCT FROM new.tier) OR (old.suspended_at IS DISTINCT FROM new.suspended_at)) AND (COALESCE(current_setting('stancebook.account_admin'::text, true), ''::text) <> ''::text))) EXECUTE FUNCTION app.require_account_entry();
grant insert, select on app.owners to service;
grant update (password_hash, preferences, email_confirmed_at, events_read) on app.owners to service;

create table app.passkey_challenges (
  challenge_hash bytea not null,
  bound_to bytea not null,
  purpose text not null,
  created_at timestamp(3) with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_bound_to_check CHECK ((length(bound_to) = 32)),
  constraint passkey_challenges_challenge_hash_check CHECK ((length(challenge_hash) = 32)),
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['login'::text, 'registration'::text])))
);
comment on column app.passkey_challenges.bound_to is 'The hash of what only the client of the request has.';
grant delete, insert, select on app.passkey_challenges to service;

create table app.passkeys (
  passkey_id uuid not null,
  owner_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  name text not null,
  synced boolean not null,
  created_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  constraint passkeys_pkey PRIMARY KEY (passkey_id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint passkeys_counter_check CHECK ((counter >= 0)),
  constraint passkeys_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1366))),
  constraint passkeys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 80))),
  constraint passkeys_public_key_check CHECK (((length(public_key) >= 1) AND (length(public_key) <= 4096)))
);
comment on column app.passkeys.credential_id is 'In base64url: up to 1023 bytes (WebAuthn level 3, 6.5.1).';
comment on column app.passkeys.counter is 'The signature counter of the last login; 0 of an authenticator that does not count.';
CREATE INDEX passkeys_of_owner ON app.passkeys USING btree (owner_id);
grant delete, insert, select on app.passkeys to service;
grant update (counter, name, synced, last_used_at) on app.passkeys to service;

create table app.peg_observations (
  seq bigint not null generated always as identity,
  coin text not null,
  price double precision not null,
  drift_bps double precision not null,
  sources jsonb not null,
  observed_at timestamp(3) with time zone not null,
  constraint peg_observations_pkey PRIMARY KEY (seq),
  constraint peg_observations_coin_fkey FOREIGN KEY (coin) REFERENCES app.circuit_monitors(coin),
  constraint peg_observations_drift_bps_check CHECK ((drift_bps >= (0)::double precision)),
  constraint peg_observations_price_check CHECK ((price > (0)::double precision))
);
comment on column app.peg_observations.sources is 'What the median is of: source, price, at.';
CREATE INDEX peg_observations_coin_observed_at_idx ON app.peg_observations USING btree (coin, observed_at);
CREATE INDEX peg_observations_coin_seq_idx ON app.peg_observations USING btree (coin, seq DESC);
grant delete, insert, select on app.peg_observations to service;

create table app.plans (
  plan_id uuid not null,
  owner_id uuid not null,
  agent_id text not null,
  stated_at timestamp(3) with time zone not null,
  commitment bytea not null,
  producer bytea not null,
  salt bytea,
  statement text,
  question bytea,
  content bytea,
  constraint plans_pkey PRIMARY KEY (plan_id),
  constraint plans_check CHECK ((num_nulls(salt, statement, question, content) = ANY (ARRAY[0, 4]))),
  constraint plans_commitment_check CHECK ((length(commitment) = 32)),
  constraint plans_content_check CHECK ((length(content) = 32)),
  constraint plans_producer_check CHECK ((length(producer) = 32)),
  constraint plans_question_check CHECK ((length(question) = 32)),
  constraint plans_salt_check CHECK ((length(salt) = 32))
);
comment on column app.plans.commitment is 'SHA-256 of the salt and the statement; with the producer it makes the leaf.';
comment on column app.plans.salt is 'Null, as is the rest of what was stated, once the owner was erased.';
comment on column app.plans.question is 'SHA-256 of the canonical query.';
comment on column app.plans.content is 'SHA-256 of the canonical query and the sentence.';
CREATE UNIQUE INDEX plans_content ON app.plans USING btree (agent_id, content);
CREATE INDEX plans_of_owner ON app.plans USING btree (owner_id, stated_at);
CREATE INDEX plans_of_question ON app.plans USING btree (owner_id, question, stated_at);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.plans FOR EACH ROW EXECUTE FUNCTION app.guard_plan();
alter table app.plans enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.plans FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.plans enable always trigger evidence_whole;
CREATE TRIGGER keep_salt BEFORE INSERT ON app.plans FOR EACH ROW WHEN ((new.salt IS NULL)) EXECUTE FUNCTION app.refuse_change('a plan is received with its salt');
alter table app.plans enable always trigger keep_salt;
CREATE TRIGGER log_plan AFTER INSERT ON app.plans REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.log_plan();
alter table app.plans enable always trigger log_plan;
grant insert, select on app.plans to service;

create table app.provider_logins (
  state_hash bytea not null,
  browser_hash bytea not null,
  nonce text not null,
  code_verifier text not null,
  redirect_uri text not null,
  created_at timestamp(3) with time zone not null,
  is_fresh boolean not null default false,
  constraint provider_logins_pkey PRIMARY KEY (state_hash),
  constraint provider_logins_browser_hash_check CHECK ((length(browser_hash) = 32)),
  constraint provider_logins_state_hash_check CHECK ((length(state_hash) = 32))
);
comment on table app.provider_logins is 'Browsers that were sent to the identity provider and are not back; a callback takes its row out.';
comment on column app.provider_logins.is_fresh is 'Whether the person has to log in at the provider anew.';
grant delete, insert, select on app.provider_logins to service;

create table app.question_counts (
  owner_id uuid not null,
  asked integer not null,
  constraint question_counts_pkey PRIMARY KEY (owner_id),
  constraint question_counts_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint question_counts_asked_check CHECK ((asked > 0))
);
comment on table app.question_counts is 'How many rows of app.asked_questions an owner has.';
grant insert, select on app.question_counts to service;
grant update (asked) on app.question_counts to service;

create table app.quota_days (
  owner_id uuid not null,
  day date not null,
  pool text not null,
  used integer not null default 0,
  credit integer not null default 0,
  record_id text not null default ''::text,
  base integer not null default 0,
  taken integer not null default 0,
  constraint quota_days_pkey PRIMARY KEY (owner_id, day, pool, record_id),
  constraint quota_days_check CHECK (((pool = 'check'::text) = (record_id <> ''::text))),
  constraint quota_days_check1 CHECK ((used <= (base + credit))),
  constraint quota_days_credit_check CHECK ((credit >= 0)),
  constraint quota_days_pool_check CHECK ((pool = ANY (ARRAY['query'::text, 'read'::text, 'check'::text]))),
  constraint quota_days_used_check CHECK ((used >= 0))
) with (fillfactor=70);
comment on column app.quota_days.base is 'What the pool held without credit when a unit was last taken.';
comment on column app.quota_days.taken is 'Units that the last statement took, or tried to take when it made the row: the statement returns it.';
grant delete, insert, select on app.quota_days to service;
grant update (used, credit, base, taken) on app.quota_days to service;

create table app.rate_windows (
  subject text not null,
  second_start timestamp(3) with time zone not null,
  second_used integer not null,
  minute_start timestamp(3) with time zone not null,
  minute_used integer not null,
  admitted integer not null default 0,
  constraint rate_windows_pkey PRIMARY KEY (subject)
) with (fillfactor=50);
comment on column app.rate_windows.admitted is 'Requests that the last statement counted: the statement returns it.';
grant delete, insert, select on app.rate_windows to service;
grant update (second_start, second_used, minute_start, minute_used, admitted) on app.rate_windows to service;

create table app.record_links (
  record_id text not null,
  related_id text not null,
  relations text[] not null,
  owner_id uuid not null,
  data_cutoff timestamp(3) with time zone not null,
  is_shown boolean not null,
  constraint record_links_pkey PRIMARY KEY (record_id, related_id)
);
comment on table app.record_links is 'Made from decision_relations and decisions: whatever is removed can be made again.';
comment on column app.record_links.is_shown is 'The source is public now, and what it points to was when it did: others see the link while both are public.';
CREATE INDEX links_of_owner ON app.record_links USING btree (owner_id, related_id, data_cutoff DESC, record_id DESC);
CREATE INDEX shown_links ON app.record_links USING btree (related_id, data_cutoff DESC, record_id DESC) WHERE is_shown;
grant insert, select on app.record_links to service;
grant update (is_shown) on app.record_links to service;

create table app.recovery_codes (
  owner_id uuid not null,
  code_hash bytea not null,
  created_at timestamp(3) with time zone not null default app.now(),
  constraint recovery_codes_pkey PRIMARY KEY (owner_id, code_hash),
  constraint recovery_codes_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint recovery_codes_code_hash_check CHECK ((length(code_hash) = 32))
);
comment on table app.recovery_codes is 'Those that are not used: using one deletes it.';
grant delete, insert, select on app.recovery_codes to service;

create unlogged table app.reply_texts (
  record_id text not null,
  edition text not null,
  owner_id uuid not null,
  owner_text text storage e,
  public_text text storage e,
  read_at timestamp(3) with time zone not null,
  owner_seal text generated always as ("left"(owner_text, 38)) stored,
  public_seal text generated always as ("left"(public_text, 38)) stored,
  constraint reply_texts_pkey PRIMARY KEY (record_id, edition),
  constraint reply_texts_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE
) with (fillfactor=80);
comment on table app.reply_texts is 'Sealed replies about evaluated records. Whatever is removed is computed again.';
comment on column app.reply_texts.edition is 'Of the form of the replies: a release that changes it finds none of the texts.';
comment on column app.reply_texts.owner_id is 'Who reads owner_text instead of public_text; replies about records of removed owners are not stored.';
comment on column app.reply_texts.read_at is 'The last read, to within an hour: the longest unread go first.';
comment on column app.reply_texts.owner_seal is 'The nonce and tag of owner_text; public_seal likewise.';
CREATE INDEX reply_texts_owner_id_idx ON app.reply_texts USING btree (owner_id);
grant delete, insert, select on app.reply_texts to service;
grant update (owner_text, public_text, read_at) on app.reply_texts to service;

create table app.retroactive_days (
  owner_id uuid not null,
  day date not null,
  used integer not null,
  constraint retroactive_days_pkey PRIMARY KEY (owner_id, day),
  constraint retroactive_days_used_check CHECK ((used > 0))
);
grant delete, insert, select on app.retroactive_days to service;
grant update (used) on app.retroactive_days to service;

create table app.secret_fingerprints (
  seq bigint not null generated always as identity,
  name text not null,
  salt bytea not null,
  fingerprint bytea not null,
  since timestamp(3) with time zone not null default app.now(),
  constraint secret_fingerprints_pkey PRIMARY KEY (seq),
  constraint secret_fingerprints_fingerprint_check CHECK ((octet_length(fingerprint) = 16)),
  constraint secret_fingerprints_name_check CHECK ((name = ANY (ARRAY['SESSION_SECRET'::text, 'PASSWORD_PEPPER'::text]))),
  constraint secret_fingerprints_salt_check CHECK ((octet_length(salt) = 16))
);
comment on table app.secret_fingerprints is 'The secrets that were used with this database; of each name the newest row is in use.';
comment on column app.secret_fingerprints.fingerprint is 'scrypt of name and secret with the salt: a guess costs as much as one of a password.';
CREATE INDEX secret_fingerprints_name ON app.secret_fingerprints USING btree (name, seq DESC);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.secret_fingerprints FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
alter table app.secret_fingerprints enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.secret_fingerprints FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.secret_fingerprints enable always trigger evidence_whole;
grant insert, select on app.secret_fingerprints to service;

create table app.security_events (
  seq bigint not null generated always as identity,
  counted_from timestamp(3) with time zone not null,
  at timestamp(3) with time zone not null,
  last_at timestamp(3) with time zone not null,
  count integer not null,
  kind text not null,
  result text not null,
  owner_id uuid,
  actor text,
  subject text,
  request_id text,
  network text,
  client text not null,
  constraint security_events_pkey PRIMARY KEY (seq),
  constraint security_events_once UNIQUE NULLS NOT DISTINCT (counted_from, kind, result, owner_id, actor, subject, network, client),
  constraint security_events_actor_check CHECK ((length(actor) <= 200)),
  constraint security_events_client_check CHECK ((client ~ '^[a-z_]{1,40}$'::text)),
  constraint security_events_count_check CHECK ((count > 0)),
  constraint security_events_kind_check CHECK ((kind ~ '^[a-z_]{1,40}$'::text)),
  constraint security_events_network_check CHECK ((length(network) <= 64)),
  constraint security_events_request_id_check CHECK ((length(request_id) <= 128)),
  constraint security_events_result_check CHECK ((result = ANY (ARRAY['success'::text, 'failure'::text]))),
  constraint security_events_subject_check CHECK ((length(subject) <= 200))
);
comment on column app.security_events.counted_from is 'The minute whose equal events the row counts; the UTC day for what is beyond the rows of a day.';
comment on column app.security_events.network is 'A keyed hash of the /24 or /64 of the caller.';
CREATE INDEX security_events_at_seq_idx ON app.security_events USING btree (at, seq);
CREATE INDEX security_events_owner_id_at_seq_idx ON app.security_events USING btree (owner_id, at, seq);
CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE ON app.security_events FOR EACH ROW EXECUTE FUNCTION app.guard_security_event();
alter table app.security_events enable always trigger guard;
CREATE TRIGGER guard_whole BEFORE TRUNCATE ON app.security_events FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change('its rows are added, counted up, and deleted after 30 days');
alter table app.security_events enable always trigger guard_whole;
grant delete, insert, select on app.security_events to service;
grant update (last_at, count) on app.security_events to service;

create table app.service_minutes (
  at timestamp(3) with time zone not null,
  processes integer not null,
  durations integer[] not null,
  disk_free double precision,
  due integer not null,
  log_size double precision,
  log_waits integer not null,
  constraint service_minutes_pkey PRIMARY KEY (at)
);
comment on table app.service_minutes is 'All processes add to one row; a minute without a row is one in which none did.';
comment on column app.service_minutes.durations is 'Replies by their class of duration (domain/service-minutes.ts).';
grant delete, insert, select on app.service_minutes to service;
grant update (processes, durations, disk_free, due, log_size, log_waits) on app.service_minutes to service;

create table app.service_processes (
  process text not null,
  release text not null,
  answers_requests boolean not null,
  runs_jobs boolean not null,
  started_at timestamp(3) with time zone not null,
  connections jsonb,
  signing text,
  running jsonb not null,
  reported_at timestamp(3) with time zone not null,
  faulty_records jsonb,
  disk jsonb,
  constraint service_processes_pkey PRIMARY KEY (process)
);
comment on column app.service_processes.connections is 'To the database: in use, idle, and requests that wait for one.';
comment on column app.service_processes.signing is 'Whether it signs the evidence log; null where it does not write it.';
comment on column app.service_processes.running is 'The runs of jobs that have not ended: job and since.';
comment on column app.service_processes.faulty_records is 'FaultyRecords of domain/service-processes.ts; null of a release that does not look for them.';
comment on column app.service_processes.disk is 'How it sees the disk of the database: its state, and the free bytes where it can see them.';
grant delete, insert, select on app.service_processes to service;
grant update (release, answers_requests, runs_jobs, started_at, connections, signing, running, reported_at, faulty_records, disk) on app.service_processes to service;

create table app.sessions (
  session_hash bytea not null,
  owner_id uuid not null,
  created_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  authenticated_at timestamp(3) with time zone,
  network text,
  client text,
  provider_session text,
  factor text,
  constraint sessions_pkey PRIMARY KEY (session_hash),
  constraint sessions_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint sessions_session_hash_check CHECK ((length(session_hash) = 32))
);
comment on column app.sessions.authenticated_at is 'The last proof by password or provider; null where the provider gave no time.';
comment on column app.sessions.network is 'A keyed hash, as in app.security_events.';
comment on column app.sessions.provider_session is 'The `sid` of the id token; null for logins by password.';
comment on column app.sessions.factor is 'What the session was opened with besides a password; null: nothing.';
CREATE INDEX sessions_owner_id_idx ON app.sessions USING btree (owner_id);
grant delete, insert, select on app.sessions to service;
grant update (last_seen_at) on app.sessions to service;

create table app.source_health (
  process text not null,
  source text not null,
  serves text not null,
  state text not null,
  failures integer not null,
  last_error_at timestamp(3) with time zone,
  last_success_at timestamp(3) with time zone,
  told_at timestamp(3) with time zone not null,
  last_error text,
  constraint source_health_pkey PRIMARY KEY (process, source),
  constraint source_health_state_check CHECK ((state = ANY (ARRAY['healthy'::text, 'failing'::text, 'paused'::text, 'never asked'::text, 'closed'::text, 'half_open'::text, 'open'::text])))
);
comment on table app.source_health is 'How each process last found its sources; a row that is not renewed is of a process that ended.';
comment on column app.source_health.state is 'closed, half_open and open are written by nodes of the release before.';
comment on column app.source_health.last_error is 'What the last failed request brought, such as "answered 503".';
grant delete, insert, select on app.source_health to service;

create table app.submit_hours (
  agent_id text not null,
  hour timestamp(3) with time zone not null,
  used integer not null,
  bytes bigint not null default 0,
  constraint submit_hours_pkey PRIMARY KEY (agent_id, hour),
  constraint submit_hours_bytes_check CHECK ((bytes >= 0)),
  constraint submit_hours_used_check CHECK ((used > 0))
);
comment on table app.submit_hours is 'The hours of before app.agent_submissions; nodes of 0.5.0 read and prune them.';
comment on column app.submit_hours.bytes is 'Of the bodies of these submissions.';
grant delete, insert, select on app.submit_hours to service;
grant update (used, bytes) on app.submit_hours to service;

create table app.symbol_files (
  name text not null,
  created_at timestamp(3) with time zone not null,
  symbols integer not null,
  stored_at timestamp(3) with time zone not null,
  constraint symbol_files_pkey PRIMARY KEY (name),
  constraint symbol_files_symbols_check CHECK ((symbols > 0))
);
comment on column app.symbol_files.created_at is 'The file''s own creation time.';
grant insert, select on app.symbol_files to service;
grant update (created_at, symbols, stored_at) on app.symbol_files to service;

create table app.symbols (
  symbol text not null,
  listed_since timestamp(3) with time zone not null,
  delisted_at timestamp(3) with time zone,
  constraint symbols_pkey PRIMARY KEY (symbol)
);
comment on column app.symbols.delisted_at is 'When it was found missing; it stays known, for records about the time before.';
grant insert, select on app.symbols to service;
grant update (listed_since, delisted_at) on app.symbols to service;

create table app.timelines (
  timeline bigint not null,
  constraint timelines_pkey PRIMARY KEY (timeline)
);
grant insert, select on app.timelines to service;

create table app.totp_secrets (
  owner_id uuid not null,
  secret bytea,
  confirmed_at timestamp(3) with time zone,
  last_step integer not null default 0,
  pending bytea,
  pending_at timestamp(3) with time zone,
  constraint totp_secrets_pkey PRIMARY KEY (owner_id),
  constraint totp_secrets_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint totp_secrets_check CHECK (((secret IS NULL) = (confirmed_at IS NULL))),
  constraint totp_secrets_check1 CHECK (((pending IS NULL) = (pending_at IS NULL))),
  constraint totp_secrets_check2 CHECK (((secret IS NOT NULL) OR (pending IS NOT NULL))),
  constraint totp_secrets_last_step_check CHECK ((last_step >= 0))
);
comment on column app.totp_secrets.secret is 'Sealed under a key that derives from SESSION_SECRET, as is pending.';
comment on column app.totp_secrets.last_step is 'The newest step of 30 s whose code was accepted.';
comment on column app.totp_secrets.pending is 'Begun at pending_at; its first code makes it the secret.';
grant delete, insert, select on app.totp_secrets to service;
grant update (secret, confirmed_at, last_step, pending, pending_at) on app.totp_secrets to service;

create table app.track_cells (
  agent_id text not null,
  facet text collate "C" not null,
  submission_origin text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  result_bucket text collate "C" not null,
  ungraded text collate "C" not null,
  move smallint not null,
  n bigint not null,
  first timestamp(3) with time zone,
  last timestamp(3) with time zone,
  constraint track_cells_pkey PRIMARY KEY (agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move),
  constraint track_cells_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES app.agents(agent_id) ON DELETE CASCADE
) with (fillfactor=85);
comment on table app.track_cells is 'Counts of the records of an agent without the changes in track_tail.';
comment on column app.track_cells.kind is 'See app.counted_kinds.';
comment on column app.track_cells.first is 'Of submission_time, as is last; only of the kind received.';
grant delete, insert, select on app.track_cells to service;
grant update (n, first, last) on app.track_cells to service;

create table app.track_tail (
  record_id text not null,
  agent_id text not null,
  workflow_hash text,
  kind text not null,
  result_bucket text not null,
  ungraded text not null,
  move smallint not null,
  n integer not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
comment on table app.track_tail is 'Changes of records that the cells of agents and workflows do not count yet; triggers write it.';
CREATE INDEX track_tail_of_agent ON app.track_tail USING btree (agent_id);
CREATE INDEX track_tail_of_workflow ON app.track_tail USING btree (workflow_hash) WHERE (workflow_hash IS NOT NULL);
grant delete, insert, select on app.track_tail to service;

create table app.webhook_deliveries (
  seq bigint not null generated always as identity,
  delivery_id uuid not null default gen_random_uuid(),
  webhook_id uuid not null,
  event_id uuid not null,
  type text not null,
  at timestamp(3) with time zone not null,
  data jsonb not null,
  subject text not null,
  status text not null default 'pending'::text,
  step integer not null default 0,
  due_at timestamp(3) with time zone default app.now(),
  token uuid,
  attempts jsonb not null default '[]'::jsonb,
  created_at timestamp(3) with time zone not null default app.now(),
  constraint webhook_deliveries_pkey PRIMARY KEY (seq),
  constraint webhook_deliveries_delivery_id_key UNIQUE (delivery_id),
  constraint webhook_deliveries_webhook_id_event_id_key UNIQUE (webhook_id, event_id),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES app.webhooks(webhook_id) ON DELETE CASCADE,
  constraint webhook_deliveries_check CHECK (((status = 'pending'::text) = (due_at IS NOT NULL))),
  constraint webhook_deliveries_check1 CHECK (((token IS NULL) OR (status = 'pending'::text))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_deliveries_step_check CHECK ((step >= 0))
);
comment on column app.webhook_deliveries.subject is 'What the event is about: an earlier pending row of the same webhook and subject is sent first.';
comment on column app.webhook_deliveries.token is 'Of the process that sends it, until due_at.';
CREATE INDEX webhook_deliveries_due ON app.webhook_deliveries USING btree (webhook_id, due_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_of_subject ON app.webhook_deliveries USING btree (webhook_id, subject, seq) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_of_webhook ON app.webhook_deliveries USING btree (webhook_id, seq);
grant delete, insert, select on app.webhook_deliveries to service;
grant update (status, step, due_at, token, attempts) on app.webhook_deliveries to service;

create table app.webhooks (
  webhook_id uuid not null,
  owner_id uuid not null,
  url text not null,
  event_types text[],
  description text not null,
  status text not null default 'active'::text,
  failures integer not null default 0,
  failing_since timestamp(3) with time zone,
  waits_until timestamp(3) with time zone,
  secret bytea not null,
  former_secret bytea,
  former_until timestamp(3) with time zone,
  history text not null,
  "position" bigint not null,
  seq bigint not null,
  created_at timestamp(3) with time zone not null default app.now(),
  constraint webhooks_pkey PRIMARY KEY (webhook_id),
  constraint webhooks_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint webhooks_check CHECK (((former_secret IS NULL) = (former_until IS NULL))),
  constraint webhooks_description_check CHECK ((length(description) <= 200)),
  constraint webhooks_event_types_check CHECK ((cardinality(event_types) > 0)),
  constraint webhooks_failures_check CHECK ((failures >= 0)),
  constraint webhooks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'gone'::text, 'paused'::text]))),
  constraint webhooks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);
comment on column app.webhooks.event_types is 'Null: all, also those of later releases.';
comment on column app.webhooks.secret is 'Sealed under a key that derives from SESSION_SECRET.';
comment on column app.webhooks.former_secret is 'Also signs before former_until.';
comment on column app.webhooks."position" is 'With history and seq: the place in the feed up to which events are deliveries (EventStore of domain/events).';
CREATE INDEX webhooks_of_owner ON app.webhooks USING btree (owner_id);
grant delete, insert, select on app.webhooks to service;
grant update (url, event_types, description, status, failures, failing_since, waits_until, secret, former_secret, former_until, history, "position", seq) on app.webhooks to service;

create table app.workflow_cells (
  workflow_hash text collate "C" not null,
  owner_id uuid not null,
  kind text collate "C" not null,
  result_bucket text collate "C" not null,
  n bigint not null,
  last timestamp(3) with time zone,
  constraint workflow_cells_pkey PRIMARY KEY (workflow_hash, owner_id, kind, result_bucket)
) with (fillfactor=85);
comment on table app.workflow_cells is 'Counts of the records of an owner that name a workflow snapshot, without the changes in track_tail.';
comment on column app.workflow_cells.last is 'Of submission_time; only of the kind received.';
grant delete, insert, select on app.workflow_cells to service;
grant update (n, last) on app.workflow_cells to service;

create table app.workflow_publications (
  seq bigint not null generated always as identity,
  hash text not null,
  workflow_id uuid not null,
  owner_id uuid not null,
  visibility text not null,
  at timestamp(3) with time zone not null,
  constraint workflow_publications_pkey PRIMARY KEY (seq),
  constraint workflow_publications_hash_fkey FOREIGN KEY (hash) REFERENCES app.workflow_snapshots(hash),
  constraint workflow_publications_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'public'::text])))
);
CREATE INDEX publications_of_workflow ON app.workflow_publications USING btree (workflow_id, seq DESC);
CREATE INDEX workflow_publications_hash_visibility_idx ON app.workflow_publications USING btree (hash, visibility);
CREATE TRIGGER drop_replies AFTER INSERT ON app.workflow_publications FOR EACH ROW WHEN ((new.visibility = 'public'::text)) EXECUTE FUNCTION app.drop_replies_of_workflow();
alter table app.workflow_publications enable always trigger drop_replies;
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.workflow_publications FOR EACH ROW EXECUTE FUNCTION app.guard_publication();
alter table app.workflow_publications enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.workflow_publications FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.workflow_publications enable always trigger evidence_whole;
grant insert, select on app.workflow_publications to service;

create table app.workflow_snapshots (
  hash text not null,
  content text not null,
  name_folded text not null,
  name text not null generated always as (((content)::jsonb ->> 'name'::text)) stored,
  description text not null generated always as (((content)::jsonb ->> 'description'::text)) stored,
  tags jsonb not null generated always as (((content)::jsonb -> 'tags'::text)) stored,
  node_count integer not null generated always as (jsonb_array_length(((content)::jsonb -> 'nodes'::text))) stored,
  constraint workflow_snapshots_pkey PRIMARY KEY (hash),
  constraint workflow_snapshots_check CHECK ((hash = encode(sha256(convert_to(content, 'UTF8'::name)), 'hex'::text)))
);
CREATE TRIGGER evidence BEFORE DELETE OR UPDATE ON app.workflow_snapshots FOR EACH ROW EXECUTE FUNCTION app.guard_snapshot();
alter table app.workflow_snapshots enable always trigger evidence;
CREATE TRIGGER evidence_whole BEFORE TRUNCATE ON app.workflow_snapshots FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
alter table app.workflow_snapshots enable always trigger evidence_whole;
grant insert, select on app.workflow_snapshots to service;

create table app.workflows (
  id uuid not null,
  owner_id uuid not null,
  name text not null,
  description text not null,
  tags text[] not null,
  visibility text not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  name_folded text not null,
  nodes json not null,
  edges json not null,
  forked_from uuid,
  listed_seq bigint,
  constraint workflows_pkey PRIMARY KEY (id),
  constraint workflows_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES app.owners(owner_id) ON DELETE CASCADE,
  constraint workflows_edges_check CHECK ((json_typeof(edges) = 'array'::text)),
  constraint workflows_nodes_check CHECK ((json_typeof(nodes) = 'array'::text)),
  constraint workflows_version_check CHECK ((version > 0)),
  constraint workflows_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'public'::text])))
);
comment on column app.workflows.name_folded is 'The name as it is searched, folded by the service: collations differ between databases.';
comment on column app.workflows.forked_from is 'The workflow that it was copied from, which may be gone.';
comment on column app.workflows.listed_seq is 'Its newest publication for everybody, so that lists need not look for it.';
CREATE INDEX workflow_forks ON app.workflows USING btree (forked_from) WHERE (forked_from IS NOT NULL);
CREATE INDEX workflows_owner_id_updated_at_idx ON app.workflows USING btree (owner_id, updated_at DESC);
CREATE INDEX workflows_shown ON app.workflows USING btree (listed_seq) WHERE (visibility = 'public'::text);
grant delete, insert, select on app.workflows to service;
grant update (name, description, tags, visibility, version, updated_at, name_folded, nodes, edges, listed_seq) on app.workflows to service;

create view app.cohort_decisions as
 SELECT record_id,
    owner_id,
    agent_id,
    instrument,
    market,
    symbol,
    venue,
    asset_class,
    quote_currency,
    submitted_symbol,
    direction,
    horizon_kind,
    horizon_value,
    analysis_class,
    perspective_type,
    data_cutoff,
    submission_time,
    submission_origin,
    anchor_time,
    end_time,
    settles_at,
    cohort_key,
    isolation_snapshot_id,
    workflow_hash,
    lifecycle_state,
    due_at,
    attempts,
    last_error,
    eval_token,
    evaluated_at,
    result_bucket,
    created_regime,
    raw_return,
    directional_return,
    mfe,
    mae,
    archived_at,
    archive_reason,
    quarantined_at,
    quarantine_reason,
    listed_at,
    listed_xid,
    move,
    method,
    grid,
    cohort_exception,
    number,
    group_id,
    group_place,
    group_of,
    name,
    received_symbol,
    received_cohort_key,
    counted_since
   FROM app.decisions
  WHERE (app.is_public(lifecycle_state) AND (cohort_exception IS DISTINCT FROM 'suspected_split'::text) AND (cohort_exception IS DISTINCT FROM 'wrong_security'::text));
comment on view app.cohort_decisions is 'The rows of app.decisions that cohorts count, as app.counted_as says.';
grant select on app.cohort_decisions to service;

create view app.counted_tracks as
 SELECT d.agent_id,
    f.facet,
    d.submission_origin,
    k.kind,
    f.key,
    k.result_bucket,
        CASE
            WHEN app.is_public(k.kind) THEN app.left_out_reason(d.lifecycle_state, d.last_error, d.cohort_exception)
            ELSE k.ungraded
        END AS ungraded,
    k.move,
    (1)::bigint AS n,
        CASE
            WHEN (k.kind = 'received'::text) THEN d.submission_time
            ELSE NULL::timestamp with time zone
        END AS first,
        CASE
            WHEN (k.kind = 'received'::text) THEN d.submission_time
            ELSE NULL::timestamp with time zone
        END AS last
   FROM (((app.decisions d
     JOIN app.agents a ON ((a.agent_id = d.agent_id)))
     CROSS JOIN LATERAL app.counted_kinds(d.lifecycle_state,
        CASE
            WHEN app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) THEN d.result_bucket
            ELSE ''::text
        END, d.last_error,
        CASE
            WHEN app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) THEN d.move
            ELSE NULL::smallint
        END, d.archived_at) k(kind, result_bucket, ungraded, move))
     CROSS JOIN LATERAL app.facets_of(d.record_id, d.direction, ((d.market || ':'::text) || d.symbol), d.submission_time, k.kind) f(facet, key));
comment on view app.counted_tracks is 'The cells of agents, counted from records; those of agents that are gone are in none.';
grant select on app.counted_tracks to service;

create view app.counted_workflows as
 SELECT d.workflow_hash,
    d.owner_id,
    k.kind,
    k.result_bucket,
    (1)::bigint AS n,
        CASE
            WHEN (k.kind = 'received'::text) THEN d.submission_time
            ELSE NULL::timestamp with time zone
        END AS last
   FROM (app.decisions d
     CROSS JOIN LATERAL app.counted_kinds(d.lifecycle_state,
        CASE
            WHEN app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) THEN d.result_bucket
            ELSE ''::text
        END, d.last_error,
        CASE
            WHEN app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) THEN d.move
            ELSE NULL::smallint
        END, d.archived_at) k(kind, result_bucket, ungraded, move))
  WHERE ((d.workflow_hash IS NOT NULL) AND (k.kind = ANY (ARRAY['received'::text, 'evaluated'::text])) AND (NOT app.is_further(d.group_place)));
comment on view app.counted_workflows is 'The cells of workflows, counted from records.';
grant select on app.counted_workflows to service;

create view app.public_decisions as
 SELECT record_id,
    owner_id,
    agent_id,
    instrument,
    market,
    symbol,
    venue,
    asset_class,
    quote_currency,
    submitted_symbol,
    direction,
    horizon_kind,
    horizon_value,
    analysis_class,
    perspective_type,
    data_cutoff,
    submission_time,
    submission_origin,
    anchor_time,
    end_time,
    settles_at,
    cohort_key,
    isolation_snapshot_id,
    workflow_hash,
    lifecycle_state,
    due_at,
    attempts,
    last_error,
    eval_token,
    evaluated_at,
    result_bucket,
    created_regime,
    raw_return,
    directional_return,
    mfe,
    mae,
    archived_at,
    archive_reason,
    quarantined_at,
    quarantine_reason,
    listed_at,
    listed_xid,
    move,
    method,
    grid,
    cohort_exception,
    number,
    group_id,
    group_place,
    group_of,
    name,
    received_symbol,
    received_cohort_key,
    counted_since
   FROM app.decisions
  WHERE app.is_public(lifecycle_state);
comment on view app.public_decisions is 'The rows of app.decisions that everybody may read.';
grant select on app.public_decisions to service;

create view app.public_records as
 SELECT record_id,
    owner_id,
    market,
    symbol,
    venue,
    asset_class,
    quote_currency,
    cohort_key,
    direction,
    analysis_class,
    horizon_kind,
    horizon_value,
    COALESCE(perspective_type, ''::text) AS perspective_type,
    result_bucket,
    app.cell_origin(submission_origin, cohort_exception, group_place) AS submission_origin,
    data_cutoff,
    evaluated_at,
    move,
    method,
    COALESCE(grid, ''::text) AS grid
   FROM app.cohort_decisions;
comment on view app.public_records is 'The columns of a public record that its cohorts count by, as the tail has them.';
grant select on app.public_records to service;

create view app.record_context as
 SELECT record_id,
    row_version,
    log,
    leaf_index,
    outcome_index,
    workflow_public,
    related,
    concat_ws(' '::text, row_version, log, leaf_index, outcome_index, workflow_public, related, leaf_signed_at, noted) AS version,
    leaf_signed_at,
    log_started_at
   FROM ( SELECT d.record_id,
            d.xmin AS row_version,
            l.log,
            l.index AS leaf_index,
            g.index AS outcome_index,
            ((d.workflow_hash IS NOT NULL) AND (EXISTS ( SELECT
                   FROM app.workflow_publications p
                  WHERE ((p.hash = d.workflow_hash) AND (p.visibility = 'public'::text))))) AS workflow_public,
                CASE
                    WHEN (EXISTS ( SELECT
                       FROM app.decision_relations r
                      WHERE (r.record_id = d.record_id))) THEN ( SELECT jsonb_agg(jsonb_build_object('record_id', r.related_id, 'relation', r.relation, 'public', app.was_public_at(received => d.submission_time, lifecycle_state => t.lifecycle_state, evaluated_at => t.evaluated_at)) ORDER BY r.related_id, r.relation) AS jsonb_agg
                       FROM (app.decision_relations r
                         JOIN app.decisions t ON ((t.record_id = r.related_id)))
                      WHERE (r.record_id = d.record_id))
                    ELSE '[]'::jsonb
                END AS related,
            ( SELECT min(f.signed_at) AS min
                   FROM (app.logs t
                     CROSS JOIN LATERAL ( SELECT p.signed_at
                           FROM app.log_checkpoints p
                          WHERE ((p.log = t.log) AND (p.size > l.index) AND (p.signature IS NOT NULL))
                          ORDER BY p.size
                         LIMIT 1) f)
                  WHERE (COALESCE(t.tree, t.log) = l.log)) AS leaf_signed_at,
            ( SELECT n.started_at
                   FROM app.logs n
                  WHERE (n.log = l.log)) AS log_started_at,
            ( SELECT (count(*) + count(*) FILTER (WHERE (n.text IS NULL)))
                   FROM app.decision_notes n
                  WHERE (n.record_id = d.record_id)) AS noted
           FROM ((app.decisions d
             LEFT JOIN app.log_decisions l ON (((l.record_id = d.record_id) AND (l.log = ( SELECT COALESCE(n.tree, n.log) AS "coalesce"
                   FROM app.logs n
                  ORDER BY n.log DESC
                 LIMIT 1)))))
             LEFT JOIN app.log_outcomes g ON (((g.record_id = l.record_id) AND (g.log = l.log))))) c;
comment on view app.record_context is 'Of the newest log, by the number under which its leaves are stored; related: public now and before the record was received.';
grant select on app.record_context to service;

create view app.standing_names as
 SELECT id,
    market,
    name,
    key,
    (line)::jsonb AS said
   FROM app.names n
  WHERE ((withdraws IS NULL) AND (NOT (EXISTS ( SELECT
           FROM app.names w
          WHERE (w.withdraws = n.id)))));
comment on view app.standing_names is 'Those that were not withdrawn.';
grant select on app.standing_names to service;

create view app.track_changes as
 SELECT t.ctid AS place,
    t.agent_id,
    f.facet,
    d.submission_origin,
    t.kind,
    f.key,
    t.result_bucket,
    t.ungraded,
    t.move,
    (t.n)::bigint AS n,
        CASE
            WHEN (t.kind = 'received'::text) THEN d.submission_time
            ELSE NULL::timestamp with time zone
        END AS first,
        CASE
            WHEN (t.kind = 'received'::text) THEN d.submission_time
            ELSE NULL::timestamp with time zone
        END AS last
   FROM ((app.track_tail t
     JOIN app.decisions d ON ((d.record_id = t.record_id)))
     CROSS JOIN LATERAL app.facets_of(d.record_id, d.direction, ((d.market || ':'::text) || d.symbol), d.submission_time, t.kind) f(facet, key));
comment on view app.track_changes is 'The tail as cells of agents.';
grant select on app.track_changes to service;

create view app.track_counts as
 SELECT track_cells.agent_id,
    track_cells.facet,
    track_cells.submission_origin,
    track_cells.kind,
    track_cells.key,
    track_cells.result_bucket,
    track_cells.ungraded,
    track_cells.move,
    track_cells.n,
    track_cells.first,
    track_cells.last
   FROM app.track_cells
UNION ALL
 SELECT track_changes.agent_id,
    track_changes.facet,
    track_changes.submission_origin,
    track_changes.kind,
    track_changes.key,
    track_changes.result_bucket,
    track_changes.ungraded,
    track_changes.move,
    track_changes.n,
    track_changes.first,
    track_changes.last
   FROM app.track_changes;
comment on view app.track_counts is 'Sums of n count the records of agents at this moment.';
grant select on app.track_counts to service;

create view app.workflow_changes as
 SELECT t.ctid AS place,
    t.workflow_hash,
    d.owner_id,
    t.kind,
    t.result_bucket,
    (t.n)::bigint AS n,
        CASE
            WHEN (t.kind = 'received'::text) THEN d.submission_time
            ELSE NULL::timestamp with time zone
        END AS last
   FROM (app.track_tail t
     JOIN app.decisions d ON ((d.record_id = t.record_id)))
  WHERE ((t.workflow_hash IS NOT NULL) AND (t.kind = ANY (ARRAY['received'::text, 'evaluated'::text])) AND (NOT app.is_further(d.group_place)));
comment on view app.workflow_changes is 'The tail as cells of workflows, which count a decision group once.';
grant select on app.workflow_changes to service;

create view app.workflow_counts as
 SELECT workflow_cells.workflow_hash,
    workflow_cells.owner_id,
    workflow_cells.kind,
    workflow_cells.result_bucket,
    workflow_cells.n,
    workflow_cells.last
   FROM app.workflow_cells
UNION ALL
 SELECT workflow_changes.workflow_hash,
    workflow_changes.owner_id,
    workflow_changes.kind,
    workflow_changes.result_bucket,
    workflow_changes.n,
    workflow_changes.last
   FROM app.workflow_changes;
comment on view app.workflow_counts is 'Sums of n count the records that name a workflow snapshot at this moment.';
grant select on app.workflow_counts to service;

create function app.add_month() returns text;
comment on function app.add_month is 'Makes the next partition that is missing, up to two months ahead, and returns its name; null: none is missing.';
grant execute on function app.add_month to service;

create function app.added_up_cells(r app.cohort_rollups, gone app.decisions) returns SETOF app.cohort_cells;
comment on function app.added_up_cells is 'The same from the cells of its finer rollup.';
grant execute on function app.added_up_cells to service;

create function app.admin_resumes(account uuid, admin uuid, OUT keys text[]) returns SETOF text[];
grant execute on function app.admin_resumes to service;

create function app.admin_sets_tier(account uuid, new_tier text, admin uuid) returns boolean;
grant execute on function app.admin_sets_tier to service;

create function app.admin_suspends(account uuid, admin uuid, OUT sessions_ended integer, OUT keys text[]) returns SETOF record;
grant execute on function app.admin_suspends to service;

create function app.admit_batch(key_hashes bytea[], key_addresses text[], key_counts integer[], callers bytea[], session_hashes bytea[], issuers text[], subjects text[], addresses text[], counts integer[], address_minutes integer[], per_second integer, per_minute integer, spenders integer[], pools text[], records text[], bases integer[], units integer[], firsts integer[], session_idle interval, session_absolute interval, session_noted interval, patience_ms integer) returns TABLE(caller bytea, owner_id uuid, agent_id text, key_prefix text, permission_mode text, role text, tier text, second_start timestamp with time zone, second_used integer, minute_used integer, admitted integer, before integer, spend integer, day date, used integer, credit integer, taken integer);
grant execute on function app.admit_batch to service;

create function app.audit_seal(e app.audit_log) returns text;
grant execute on function app.audit_seal to service;

create function app.begin_cells(r app.cohort_rollups, gone app.decisions) returns void;
comment on function app.begin_cells is 'Makes the cells of a market that the rollup does not have. A quarantine waits only for the recount of those that came while the records were counted.';
grant execute on function app.begin_cells to service;

create function app.cell_origin(submission_origin text, cohort_exception text, group_place smallint) returns text;
comment on function app.cell_origin is 'What cells and tail have as the origin of a record: as app.counted_as says, and apart for a further horizon; null in none.';
grant execute on function app.cell_origin to service;

create function app.cells_anew(r app.cohort_rollups, gone app.decisions) returns SETOF app.cohort_cells;
comment on function app.cells_anew is 'The cells of a market, or of one of its records, by the shorter of the two ways.';
grant execute on function app.cells_anew to service;

create function app.cells_of(records app.cohort_tail[]) returns SETOF app.cohort_cells;
comment on function app.cells_of is 'The cells that count these records, as if there were no others.';
grant execute on function app.cells_of to service;

create function app.chain_audit_entry() returns trigger;

create function app.check_counted() returns trigger;

create function app.check_new_decision() returns trigger;

create function app.check_new_evidence() returns trigger;

create function app.check_new_names() returns trigger;

create function app.check_note() returns trigger;

create function app.closes(state text) returns boolean;
comment on function app.closes is 'The states of CLOSING_REASONS of domain/log/leaves/leaf.ts.';
grant execute on function app.closes to service;

create function app.cohort_cell_faults(asked integer) returns TABLE(cell text, kept text, counted text);
comment on function app.cohort_cell_faults is 'The cells of a rollup that differ from the records. Those of an earlier release have no last_graded.';
grant execute on function app.cohort_cell_faults to service;

create function app.cohort_key_with(cohort_key text, symbol text) returns text;
comment on function app.cohort_key_with is 'The same cohort key of another symbol.';
grant execute on function app.cohort_key_with to service;

create function app.complete_outcome() returns trigger;

create function app.context_of(m app.submission, received timestamp with time zone, verified_for interval) returns app.submission_context;
grant execute on function app.context_of to service;

create function app.correct_counted(ids text[], moves smallint[], grids text[], exceptions text[]) returns void;
comment on function app.correct_counted is 'Sets what cohorts count graded records by, and counts all of them anew.';
grant execute on function app.correct_counted to service;

create function app.count_in_cohorts() returns trigger;

create function app.count_keys(key_hashes bytea[], key_addresses text[], counts integer[], per_second integer, per_minute integer, patience_ms integer) returns TABLE(caller bytea, owner_id uuid, agent_id text, key_prefix text, permission_mode text, role text, tier text, second_start timestamp with time zone, second_used integer, minute_used integer, admitted integer, before integer);
grant execute on function app.count_keys to service;

create function app.count_moves(ids text[], ranges smallint[]) returns integer;
comment on function app.count_moves is 'Notes the ranges of records that an earlier release graded, and counts them in the cells that count the records; how many it were.';
grant execute on function app.count_moves to service;

create function app.count_others(callers bytea[], session_hashes bytea[], issuers text[], subjects text[], addresses text[], counts integer[], address_minutes integer[], per_second integer, per_minute integer, session_idle interval, session_absolute interval, session_noted interval) returns TABLE(caller bytea, owner_id uuid, agent_id text, key_prefix text, permission_mode text, role text, tier text, second_start timestamp with time zone, second_used integer, minute_used integer, admitted integer, before integer);
grant execute on function app.count_others to service;

create function app.counted_as(submission_origin text, cohort_exception text) returns text;
comment on function app.counted_as is 'countedAs of domain/cohorts/counted-as.ts: the origin of a record in cohorts; null in none.';
grant execute on function app.counted_as to service;

create function app.counted_bucket(lifecycle_state text, bucket text) returns text;
grant execute on function app.counted_bucket to service;

create function app.counted_cells(r app.cohort_rollups, gone app.decisions) returns SETOF app.cohort_cells;
comment on function app.counted_cells is 'The cells of a rollup, counted anew from the records; of one market or record alone where that is given.';
grant execute on function app.counted_cells to service;

create function app.counted_hour(counts app.agent_submissions, asked timestamp with time zone) returns TABLE(used integer, bytes bigint);
comment on function app.counted_hour is 'countedHour of domain/quotas/submit-limits.ts: what counts against a submission of an hour.';
grant execute on function app.counted_hour to service;

create function app.counted_kinds(lifecycle_state text, bucket text, last_error text, moved smallint, archived_at timestamp with time zone) returns TABLE(kind text, result_bucket text, ungraded text, move smallint);
comment on function app.counted_kinds is 'What a record is counted as: received, always; its state, unless it is open; archived. Records that are open are those received without those of a state.';
grant execute on function app.counted_kinds to service;

create function app.counted_move(lifecycle_state text, move smallint) returns smallint;
grant execute on function app.counted_move to service;

create function app.counts_by_bucket(lifecycle_state text, method text, cohort_exception text) returns boolean;
comment on function app.counts_by_bucket is 'countsByBucket of domain/decisions/ungraded.ts. Other outcomes are counted as evaluated, without a bucket and a move.';
grant execute on function app.counts_by_bucket to service;

create function app.counts_further(r app.cohort_rollups) returns boolean;
comment on function app.counts_further is 'Whether the rollup has cells of further horizons of decision groups: only where they can be asked for by their horizon.';
grant execute on function app.counts_further to service;

create function app.counts_market(r app.cohort_rollups, market text) returns boolean;
comment on function app.counts_market is 'Whether the rollup has the cells of a market.';
grant execute on function app.counts_market to service;

create aggregate app.disjoint_windows(integer[]) (sfunc = app.take_window, stype = bigint, initcond = '-9223372036854775808', finalfunc = app.taken_windows);
comment on function app.disjoint_windows is 'Of windows in the order of their ends; mostDisjoint of domain/decisions/own/window-counts.ts.';
grant execute on function app.disjoint_windows to service;

create function app.drop_all_replies() returns trigger;

create function app.drop_replies_of(record_ids text[]) returns void;
grant execute on function app.drop_replies_of to service;

create function app.drop_replies_of_leaves() returns trigger;

create function app.drop_replies_of_note() returns trigger;

create function app.drop_replies_of_record() returns trigger;

create function app.drop_replies_of_workflow() returns trigger;

create function app.end_mail() returns trigger;

create function app.erase_records(erased uuid, most integer, OUT written integer, OUT state text) returns record;
comment on function app.erase_records is 'The next records of an owner. state: more; waiting, for records that were in use; ended, once; none.';
grant execute on function app.erase_records to service;

create function app.erase_traces(erased uuid, most integer) returns integer;
comment on function app.erase_traces is 'Empties plans, removes notes, events and published workflows; how many. 0: there are no more.';
grant execute on function app.erase_traces to service;

create function app.erased_facts() returns jsonb;
comment on function app.erased_facts is 'OwnerFacts of domain/grading/outcome.ts of a decision that names nothing of which they derive.';
grant execute on function app.erased_facts to service;

create function app.erased_statement(statement text, salt bytea, owner_id uuid, agent_id text) returns text;
grant execute on function app.erased_statement to service;

create function app.event_of(before text, after text, attempted boolean) returns text;
grant execute on function app.event_of to service;

create function app.event_position() returns bigint;
comment on function app.event_position is 'The order of events is that of (position, seq); those before pg_snapshot_xmin of a snapshot are complete in it.';
grant execute on function app.event_position to service;

create function app.exception_of(facts jsonb) returns text;
comment on function app.exception_of is 'cohortException of domain/grading/cohort-exception.ts.';
grant execute on function app.exception_of to service;

create function app.extend_rollups(records bigint) returns integer;
comment on function app.extend_rollups is 'Makes the cells of a rollup and a market, if some are missing; how many of them it were.';
grant execute on function app.extend_rollups to service;

create function app.facets_of(of_record text, direction text, market_symbol text, submission_time timestamp with time zone, kind text) returns TABLE(facet text, key text);
comment on function app.facets_of is 'The facets of domain/decisions/own/track-record.ts that a record has a key in; all is the sum of the directions.';
grant execute on function app.facets_of to service;

create function app.finer_rollup(r app.cohort_rollups, market text) returns app.cohort_rollups;
comment on function app.finer_rollup is 'The nearest rollup that its cells of a market add up from; null where they are counted from records.';
grant execute on function app.finer_rollup to service;

create function app.fold_cohorts(batch integer) returns integer;
comment on function app.fold_cohorts is 'Moves up to so many records from the tail into the cells; how many it were.';
grant execute on function app.fold_cohorts to service;

create function app.fold_tracks(batch integer) returns integer;
comment on function app.fold_tracks is 'Moves up to so many changes from the tail into the cells; how many it were.';
grant execute on function app.fold_tracks to service;

create function app.give_back(of_owner uuid, of_day date, of_pool text, of_record text) returns TABLE(told_at timestamp with time zone, day date, used integer, credit integer);
grant execute on function app.give_back to service;

create function app.grade_cells(r app.cohort_rollups, gone app.decisions) returns void;
comment on function app.grade_cells is 'Sets last_graded of the cells of a market that lack it. A quarantine waits for the update alone, if it changes the same cells.';
grant execute on function app.grade_cells to service;

create function app.grid_fits(grid text, facts jsonb, market text, origin text, anchored timestamp with time zone, ending timestamp with time zone) returns boolean;
comment on function app.grid_fits is 'Whether this can be publicGrid of domain/decisions/views/views.ts.';
grant execute on function app.grid_fits to service;

create function app.grid_of(facts jsonb) returns text;
comment on function app.grid_of is 'gridOf of domain/grading/grid.ts.';
grant execute on function app.grid_of to service;

create function app.group_text(id text, size smallint, place smallint) returns text;
comment on function app.group_text is 'What the statement of a decision says of its group, in the form of RFC 8785.';
grant execute on function app.group_text to service;

create function app.guard_document() returns trigger;

create function app.guard_erasure() returns trigger;

create function app.guard_graded() returns trigger;

create function app.guard_note() returns trigger;

create function app.guard_number() returns trigger;

create function app.guard_outcome() returns trigger;

create procedure app.guard_partition(IN part regclass);

create function app.guard_plan() returns trigger;

create function app.guard_publication() returns trigger;

create function app.guard_security_event() returns trigger;

create function app.guard_snapshot() returns trigger;

create function app.has_closed(lifecycle_state text) returns boolean;
grant execute on function app.has_closed to service;

create function app.hold_grades() returns void;
comment on function app.hold_grades is 'A transaction that learned names takes it before it changes records. No grade waits for it: it would hold rows meanwhile.';
grant execute on function app.hold_grades to service;

create function app.hold_submissions() returns void;
comment on function app.hold_submissions is 'A transaction that learned names takes it last: submissions under way have ended then, and others wait for its end.';
grant execute on function app.hold_submissions to service;

create function app.hour_of(counts app.agent_submissions, asked timestamp with time zone) returns timestamp with time zone;
comment on function app.hour_of is 'countedHour of domain/quotas/submit-limits.ts: the hour that counts a submission of an hour.';
grant execute on function app.hour_of to service;

create function app.insert_cells(r app.cohort_rollups, gone app.decisions) returns void;
comment on function app.insert_cells is 'Inserts the cells of a market, or of one of its records, that are not there.';
grant execute on function app.insert_cells to service;

create function app.is_erased(owner uuid) returns boolean;
grant execute on function app.is_erased to service;

create function app.is_further(group_place smallint) returns boolean;
comment on function app.is_further is 'isFurtherHorizon of domain/decisions/decision.ts: cohorts count the record only where a query pins its horizon.';
grant execute on function app.is_further to service;

create function app.is_further_origin(cell_origin text) returns boolean;
comment on function app.is_further_origin is 'The same of a row of the cells or the tail.';
grant execute on function app.is_further_origin to service;

create function app.is_link_shown(relations text[], source app.decisions, target app.decisions) returns boolean;
grant execute on function app.is_link_shown to service;

create function app.is_outside(address text, networks text[]) returns boolean;
grant execute on function app.is_outside to service;

create function app.is_public(lifecycle_state text) returns boolean;
comment on function app.is_public is 'isPublic of domain/decisions/visibility.ts.';
grant execute on function app.is_public to service;

create function app.is_tried(lifecycle_state text) returns boolean;
comment on function app.is_tried is 'Whether a record in this state has no outcome, and gets one, or was to get one.';
grant execute on function app.is_tried to service;

create function app.join_moves(a bigint[], b bigint[]) returns bigint[];
comment on function app.join_moves is 'The sum of two counts of records by range.';
grant execute on function app.join_moves to service;

create function app.join_owners(a uuid[], b uuid[]) returns uuid[];
comment on function app.join_owners is 'The first owners of two sets in ascending order.';
grant execute on function app.join_owners to service;

create function app.judge_submissions(batch jsonb, idempotency_kept interval, verified_for interval, together boolean) returns TABLE(ordinal integer, verdict text, detail jsonb, received_at timestamp with time zone);
grant execute on function app.judge_submissions to service;

create function app.keep(subjects bytea[], of_kind text, more integer, more_bytes bigint, mosts integer[], mosts_bytes bigint[]) returns TABLE(refused integer, kept integer, used_bytes bigint, told_at timestamp with time zone);
grant execute on function app.keep to service;

create procedure app.keep_for_ever(IN evidence regclass);

create function app.keep_symbol() returns trigger;

create function app.left_out_reason(lifecycle_state text, last_error text, cohort_exception text) returns text;
comment on function app.left_out_reason is 'What cells have as the reason of a record without a bucket: empty for one that is counted, or suspected.';
grant execute on function app.left_out_reason to service;

create function app.limits_now() returns timestamp with time zone;
comment on function app.limits_now is 'The clock of windows and days: app.now(), but never before what has been forgotten.';
grant execute on function app.limits_now to service;

create function app.lock_cohort_cells() returns void;
comment on function app.lock_cohort_cells is 'A transaction that changes cells holds it to its end. A record that enters the tail does not wait for it.';
grant execute on function app.lock_cohort_cells to service;

create function app.lock_cohort_folds() returns void;
comment on function app.lock_cohort_folds is 'Taken before the lock of the cells by all that changes cells but a quarantine, which so waits for no long count.';
grant execute on function app.lock_cohort_folds to service;

create function app.lock_names() returns void;
comment on function app.lock_names is 'A transaction that adds statements about names holds it to its end.';
grant execute on function app.lock_names to service;

create function app.lock_track_cells() returns void;
comment on function app.lock_track_cells is 'A transaction that changes cells holds it to its end. A change that enters the tail does not wait for it.';
grant execute on function app.lock_track_cells to service;

create function app.log_move() returns trigger;

create function app.log_new() returns trigger;

create function app.log_plan() returns trigger;

create function app.log_submitted() returns trigger;
comment on function app.log_submitted is 'numbered: no worker of 0.5.0 appends it, since it would give it no mark.';

create function app.mark_of(agent_salt bytea, number integer) returns bytea;
grant execute on function app.mark_of to service;

create function app.market_of(coin text, instrument text, received timestamp with time zone, verified_for interval) returns TABLE(circuit_state text, circuit_snapshot uuid, instrument_verified boolean, history_from timestamp with time zone);
comment on function app.market_of is 'The circuit of a coin, and what is known of an instrument. Inlined wherever it is called.';
grant execute on function app.market_of to service;

create function app.may_end(names integer) returns text;
comment on function app.may_end is 'Whether evaluations that were planned by the names up to this one end, are to be planned again, or wait for an import under way. But for the last, no names are learned until the end of the transaction.';
grant execute on function app.may_end to service;

create function app.may_read(reader uuid, owner_id uuid, lifecycle_state text) returns boolean;
comment on function app.may_read is 'mayRead of domain/decisions/visibility.ts: whether a record exists for the reader, who may be nobody (null).';
grant execute on function app.may_read to service;

create function app.missing_month(OUT whole regclass, OUT month date) returns record;
comment on function app.missing_month is 'The next partition to be made, up to two months ahead; null: none is missing.';
grant execute on function app.missing_month to service;

create function app.month_start(month date) returns text;
comment on function app.month_start is 'Ids of records that are received in the month or later are not before it.';
grant execute on function app.month_start to service;

create function app.move_by_names(ids text[], symbols text[], wrong boolean[], at_once integer, OUT changed integer, OUT refused text[], OUT faults text[]) returns record;
comment on function app.move_by_names is 'Counts records under these symbols from now on, and those with wrong in no cohort; both keys are counted anew, each cell once, after all parts of so many records. How many changed, and what was refused.';
grant execute on function app.move_by_names to service;

create function app.move_some(ids text[], symbols text[], wrong boolean[]) returns TABLE(record_id text, symbol text, cohort_key text, exception text, is_folded boolean, fault text);
grant execute on function app.move_some to service;

create function app.names_say(d app.decisions, received text) returns boolean;
comment on function app.names_say is 'Whether a standing statement says on the line of a record that a name by which it can have been sent is its symbol, or that name is the symbol. The date of the venue is one of three; which statement weighs more, and which is believed, is known to the domain alone.';
grant execute on function app.names_say to service;

create function app.next_extension(records bigint) returns TABLE(rollup smallint, market text);
comment on function app.next_extension is 'A rollup and a market whose cells are to be made: by years and months where the market has so many records, by days where one of its months has, by quarters of days where its days have on average, and of ten times as many for each of symbol, venue, direction and horizon that they distinguish; else where cells of an earlier release lack last_graded.';
grant execute on function app.next_extension to service;

create function app.note_change() returns trigger;

create function app.note_circuit() returns trigger;

create function app.note_credits() returns trigger;

create function app.note_grades() returns trigger;

create function app.note_links() returns trigger;

create function app.note_listing() returns trigger;

create function app.note_move() returns trigger;

create function app.note_received() returns trigger;

create function app.note_removals(of_markets text[]) returns void;
comment on function app.note_removals is 'Takes the lock of the cells. To be called by all that takes records out of cohorts of these markets, or moves them to others.';
grant execute on function app.note_removals to service;

create function app.now() returns timestamp with time zone;
comment on function app.now is 'The one clock of windows, days and receive times, in whole milliseconds.';
grant execute on function app.now to service;

create function app.numbered_producer(salt bytea, owner_id uuid, agent_id text, number integer, agent_salt bytea) returns bytea;
grant execute on function app.numbered_producer to service;

create function app.own_timeline() returns bigint;
grant execute on function app.own_timeline to service;

create function app.owners_of_a_cell() returns integer;
comment on function app.owners_of_a_cell is 'COHORT.mostMinProducers of domain/limits.ts. An aggregate takes no parameter, and cells that are there hold as many.';
grant execute on function app.owners_of_a_cell to service;

create function app.period_end(period text, at timestamp with time zone) returns timestamp with time zone;
grant execute on function app.period_end to service;

create function app.period_start(period text, at timestamp with time zone) returns timestamp with time zone;
grant execute on function app.period_start to service;

create function app.random_salt() returns bytea;
comment on function app.random_salt is '32 bytes; each UUID has 122 random bits.';
grant execute on function app.random_salt to service;

create function app.range_of_move(direction text, facts jsonb) returns smallint;
comment on function app.range_of_move is 'moveRange of domain/grading/bucket.ts, of the facts of an outcome.';
grant execute on function app.range_of_move to service;

create function app.rebuild_cohort_cells() returns void;
comment on function app.rebuild_cohort_cells is 'Counts everything anew but the tail, which goes on to be folded.';
grant execute on function app.rebuild_cohort_cells to service;

create function app.rebuild_track_cells() returns void;
comment on function app.rebuild_track_cells is 'Counts everything anew but the tail, which goes on to be folded.';
grant execute on function app.rebuild_track_cells to service;

create function app.receipts_of_group(id text) returns jsonb;
comment on function app.receipts_of_group is 'The receipts of its members, in their order.';
grant execute on function app.receipts_of_group to service;

create function app.record_id(received timestamp with time zone, suffix text) returns text;
grant execute on function app.record_id to service;

create function app.recount_cell(r app.cohort_rollups, gone app.decisions) returns void;
comment on function app.recount_cell is 'Counts the cell of a rollup that a record is or was in.';
grant execute on function app.recount_cell to service;

create function app.recount_cells(gone app.decisions) returns void;
grant execute on function app.recount_cells to service;

create function app.recount_symbols(of_agents text[], of_keys text[]) returns void;
comment on function app.recount_symbols is 'The same of the counts of some agents by some symbols alone.';
grant execute on function app.recount_symbols to service;

create function app.refuse_change() returns trigger;

create function app.refuse_given_rights() returns trigger;

create function app.refuse_restored_key() returns trigger;

create function app.related_faults(m app.submission) returns jsonb;
comment on function app.related_faults is 'RefusedRelation of domain/decisions/submission/decision-intake.ts; null without any.';
grant execute on function app.related_faults to service;

create function app.remove_account(erased uuid) returns boolean;
comment on function app.remove_account is 'False for an account that is not to be erased yet.';
grant execute on function app.remove_account to service;

create function app.require_account_control(account uuid, admin uuid) returns void;
grant execute on function app.require_account_control to service;

create function app.require_account_entry() returns trigger;

create function app.require_audit_entry() returns trigger;

create function app.require_outcome() returns trigger;

create function app.rfc3339(at timestamp with time zone) returns text;
grant execute on function app.rfc3339 to service;

create function app.schedule_erasure(erased uuid, grace interval) returns timestamp with time zone;
comment on function app.schedule_erasure is 'When the account will be erased; null without the account.';
grant execute on function app.schedule_erasure to service;

create function app.sees_workflow(hash text, owner_id uuid) returns boolean;
comment on function app.sees_workflow is 'Whether a decision of the owner may name this workflow.';
grant execute on function app.sees_workflow to service;

create function app.share_names() returns void;
comment on function app.share_names is 'A transaction that writes submissions holds it to its end.';
grant execute on function app.share_names to service;

create function app.show_links() returns trigger;

create aggregate app.some_owners(uuid[]) (sfunc = app.join_owners, stype = uuid[], initcond = '{}');
grant execute on function app.some_owners to service;

create function app.stated_factors(statement text) returns json;
comment on function app.stated_factors is 'Null also for a statement that is no JSON any more: it must not stop a batch of leaves, and check-evidence reports it.';
grant execute on function app.stated_factors to service;

create function app.store_replies(editions text[], record_ids text[], versions text[], owner_texts text[], public_texts text[]) returns SETOF text;
comment on function app.store_replies is 'The ids of the records whose replies were stored.';
grant execute on function app.store_replies to service;

create function app.submission_event(record_id text) returns uuid;
comment on function app.submission_event is 'A UUID of version 8 (RFC 9562 section 5.8): no row has it, however the record is read.';
grant execute on function app.submission_event to service;

create function app.submission_seq(record_id text) returns bigint;
comment on function app.submission_seq is 'Orders the submissions of one position. Negative, so that they come before the other events of it.';
grant execute on function app.submission_seq to service;

create function app.submit_batch(batch jsonb, patience_ms integer, idempotency_kept interval, verified_for interval) returns TABLE(ordinal integer, verdict text, detail jsonb, received_at timestamp with time zone);
grant execute on function app.submit_batch to service;

create function app.take_back_erasure(erased uuid) returns text[];
comment on function app.take_back_erasure is 'The prefixes of the keys that work again; null when nothing was scheduled.';
grant execute on function app.take_back_erasure to service;

create function app.take_window(taken bigint, since_until integer[]) returns bigint;
comment on function app.take_window is 'The end of the last window taken, in the higher half, and how many were. The next window ends at the same time or later.';
grant execute on function app.take_window to service;

create function app.taken_windows(taken bigint) returns integer;
comment on function app.taken_windows is 'How many were taken.';
grant execute on function app.taken_windows to service;

create function app.track_faults() returns TABLE(cell text, kept text, counted text);
comment on function app.track_faults is 'The counts of agents and workflows, with the tail, that differ from the records.';
grant execute on function app.track_faults to service;

create function app.try_lock_names() returns boolean;
comment on function app.try_lock_names is 'The same where no other transaction holds it: whether this one does.';
grant execute on function app.try_lock_names to service;

create function app.ungraded_reason(lifecycle_state text, last_error text) returns text;
comment on function app.ungraded_reason is 'ungradedReason of domain/decisions/ungraded.ts.';
grant execute on function app.ungraded_reason to service;

create function app.wanted_records(record_ids text[], viewers uuid[]) returns TABLE(record_id text, viewer uuid, "position" integer);
comment on function app.wanted_records is 'Who wants to read which record, by position.';
grant execute on function app.wanted_records to service;

create function app.was_public_at(received timestamp with time zone, lifecycle_state text, evaluated_at timestamp with time zone) returns boolean;
comment on function app.was_public_at is 'isPublicTarget of domain/decisions/visibility.ts: public now, and before that time.';
grant execute on function app.was_public_at to service;

create function app.window_after(last_second timestamp with time zone, used_in_second integer, used_in_minute integer, at timestamp with time zone, n integer, per_second integer, per_minute integer) returns TABLE(second_start timestamp with time zone, second_used integer, minute_used integer, admitted integer);
grant execute on function app.window_after to service;

create function app.write_decisions(judged app.judged_submission[]) returns integer;
grant execute on function app.write_decisions to service;
