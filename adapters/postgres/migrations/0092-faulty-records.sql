-- What a process reports of the records that it cannot read in full. Null of a node that does not look for them.

alter table app.service_processes add column faulty_records jsonb;
comment on column app.service_processes.faulty_records is
  'FaultyRecords of domain/service-processes.ts; null of a release that does not look for them.';
