-- Public snapshots of the records that cohorts show (docs/snapshots.md), and the leaves of the evidence log that commit to
-- them. New tables alone: nothing waits for this migration.

create table app.datasets (
  month text primary key check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  made_at timestamptz(3) not null default app.now()
);
comment on table app.datasets is 'Public snapshots, by the UTC month in which each was made; they stay as they are.';

create table app.dataset_files (
  month text not null references app.datasets,
  name text not null,
  place smallint not null,
  bytes bigint not null,
  sha256 bytea not null,
  primary key (month, name)
);
comment on table app.dataset_files is 'The files of a snapshot, in their order.';

create table app.dataset_parts (
  month text not null references app.datasets,
  name text not null,
  part int not null,
  content bytea not null,
  primary key (month, name, part)
);
comment on table app.dataset_parts is 'The bytes of a file, in parts of at most 1 MiB.';

create table app.log_datasets (
  log int not null references app.logs,
  index bigint not null,
  month text not null unique references app.datasets,
  primary key (log, index)
);
comment on table app.log_datasets is 'The leaf that commits to the SHA256SUMS of a snapshot.';

call app.keep_for_ever('app.datasets');
call app.keep_for_ever('app.dataset_files');
call app.keep_for_ever('app.dataset_parts');
call app.keep_for_ever('app.log_datasets');

do $$
declare
  name text;
begin
  foreach name in array array['datasets', 'dataset_files', 'dataset_parts', 'log_datasets'] loop
    execute format('grant select, insert on app.%I to %I', name, current_setting('stancebook.service_role'));
  end loop;
end $$;
