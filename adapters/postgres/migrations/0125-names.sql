-- What names mean: statements of operators, exchanges and vendors, and their leaves (docs/securities.md). Changes no row.

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

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert on app.names, app.log_names to %I', service);
end $$;
