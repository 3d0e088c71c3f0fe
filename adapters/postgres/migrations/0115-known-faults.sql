-- Records that cannot be read in full, known until they can be read again. Before this, each process knew its own until it ended.
-- Changes no row.

create table app.faulty_records (
  record_id text primary key,
  parts text[] not null,
  noted_at timestamptz(3) not null
);
comment on table app.faulty_records is
  'Found by any process; prune-expired reads them again and removes those that can be read.';
comment on column app.faulty_records.parts is 'Words of FAULT_PARTS in domain/decisions/views/record-fault.ts.';
create index faulty_records_noted_at on app.faulty_records (noted_at);

do $$
begin
  execute format('grant select, insert, update (parts, noted_at), delete on app.faulty_records to %I',
    current_setting('stancebook.service_role'));
end $$;
