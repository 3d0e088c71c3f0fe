import { LessThan } from 'typeorm';
import { SOURCE_REPORTS } from '../../../domain/limits.ts';
import type { JobRuns, ProcessStore, ReportedState } from '../../../domain/service-processes.ts';
import { replacement } from '../entities/columns.ts';
import { JOB_RUNS, SERVICE_PROCESSES } from '../entities/processes.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresProcesses(sql: Sql): ProcessStore {
  return {
    report: (state, runs, now) =>
      sql.atomically(async (own) => {
        const expired = new Date(now.getTime() - SOURCE_REPORTS.keep);
        await own.tables.delete(SERVICE_PROCESSES, { reported_at: LessThan(expired) });
        await own.rows(REPORT, [{ ...state, reported_at: now }]);
        await addRuns(own, runs);
      }),

    end: (process, runs) =>
      sql.atomically(async (own) => {
        await own.tables.delete(SERVICE_PROCESSES, { process });
        await addRuns(own, runs);
      }),

    all: (): Promise<ReportedState[]> =>
      sql.tables
        .createQueryBuilder(SERVICE_PROCESSES, 'p')
        .orderBy({ 'p.started_at': 'DESC', 'p.process collate "C"': 'ASC' })
        .getMany(),

    runs: (): Promise<JobRuns[]> =>
      sql.tables.createQueryBuilder(JOB_RUNS, 'r').orderBy('r.job collate "C"', 'ASC').getMany(),
  };
}

async function addRuns(sql: Sql, runs: readonly JobRuns[]): Promise<void> {
  if (runs.length > 0) await sql.rows(ADD_RUNS, [JSON.stringify(runs)]);
}

/** SQL by hand: one upsert. */
const REPORT = `
  insert into app.service_processes as p
  select * from jsonb_populate_record(null::app.service_processes, $1::jsonb)
  on conflict (process) do update set ${replacement(SERVICE_PROCESSES)}`;

/** SQL by hand: `joinedRuns` of what is stored and of what is added, in one order, so that two processes never deadlock. */
const ADD_RUNS = `
  insert into app.job_runs as r
  select * from jsonb_populate_recordset(null::app.job_runs, $1::jsonb) added order by added.job
  on conflict (job) do update set
    last_started_at = greatest(r.last_started_at, excluded.last_started_at),
    last_succeeded_at = greatest(r.last_succeeded_at, excluded.last_succeeded_at),
    last_failed_at = greatest(r.last_failed_at, excluded.last_failed_at),
    last_error = case when excluded.last_failed_at is null or r.last_failed_at > excluded.last_failed_at
      then r.last_error else excluded.last_error end,
    failures = excluded.failures + case when coalesce(excluded.last_succeeded_at > r.last_succeeded_at,
      excluded.last_succeeded_at is not null) then 0 else r.failures end`;
