-- Market data for operators: requested refreshes, the symbol directory, the health of the sources.

create table app.instrument_refreshes (
  instrument text primary key,
  job_id uuid not null unique,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  requested_at timestamptz(3) not null
);
comment on table app.instrument_refreshes is 'Instruments to be asked for whatever is known of them; a row goes when that is done.';
create index decisions_failed on app.decisions (instrument) where lifecycle_state in ('rejected', 'data_unavailable');

create table app.symbols (
  symbol text primary key,
  listed_since timestamptz(3) not null,
  delisted_at timestamptz(3)
);
comment on column app.symbols.delisted_at is 'When it was found missing; it stays known, for records about the time before.';

create table app.symbol_files (
  name text primary key,
  created_at timestamptz(3) not null,
  symbols int not null check (symbols > 0),
  stored_at timestamptz(3) not null
);
comment on column app.symbol_files.created_at is 'The file''s own creation time.';

create table app.source_health (
  process text not null,
  source text not null,
  serves text not null,
  state text not null check (state in ('closed', 'half_open', 'open')),
  failures int not null,
  last_error_at timestamptz(3),
  last_success_at timestamptz(3),
  told_at timestamptz(3) not null,
  primary key (process, source)
);
comment on table app.source_health is 'How each process last found its sources; a row that is not renewed is of a process that ended.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.instrument_refreshes, app.symbols, app.symbol_files,
    app.source_health to %I', service);
end $$;
