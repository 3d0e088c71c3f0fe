-- What the processes of the service report of themselves and of the jobs that they run, for the status that operators read.

create table app.service_processes (
  process text primary key,
  release text not null,
  answers_requests boolean not null,
  runs_jobs boolean not null,
  started_at timestamptz(3) not null,
  connections jsonb,
  signing text,
  running jsonb not null,
  reported_at timestamptz(3) not null
);
comment on column app.service_processes.connections is 'To the database: in use, idle, and requests that wait for one.';
comment on column app.service_processes.signing is 'Whether it signs the evidence log; null where it does not write it.';
comment on column app.service_processes.running is 'The runs of jobs that have not ended: job and since.';

create table app.job_runs (
  job text primary key,
  last_started_at timestamptz(3),
  last_succeeded_at timestamptz(3),
  last_failed_at timestamptz(3),
  last_error text,
  failures integer not null check (failures >= 0)
);
comment on column app.job_runs.failures is 'Failed runs since the last one that succeeded.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.service_processes to %I', service);
  execute format('grant update (release, answers_requests, runs_jobs, started_at, connections, signing, running, reported_at)
    on app.service_processes to %I', service);
  execute format('grant select, insert on app.job_runs to %I', service);
  execute format('grant update (last_started_at, last_succeeded_at, last_failed_at, last_error, failures)
    on app.job_runs to %I', service);
end $$;
