import { LessThan, MoreThanOrEqual } from 'typeorm';
import { MINUTES, RECORD_FAULTS, SOURCE_REPORTS } from '../../../domain/limits.ts';
import type { ServiceMinute } from '../../../domain/service-minutes.ts';
import type { JobRuns, KnownFaults, ProcessStore, ReportedState } from '../../../domain/service-processes.ts';
import { replacement } from '../entities/columns.ts';
import { JOB_RUNS, SERVICE_MINUTES, SERVICE_PROCESSES } from '../entities/processes.ts';
import { interval } from '../kit/expired-rows.ts';
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

    async addMinute(at, { durations, disk_free, due, log_size, log_waits }) {
      await sql.rows(ADD_MINUTE, [at, durations, disk_free, due, log_size, log_waits, interval(MINUTES.kept)]);
    },

    minutes: (since): Promise<ServiceMinute[]> =>
      sql.tables.find(SERVICE_MINUTES, { where: { at: MoreThanOrEqual(since) }, order: { at: 'asc' } }),

    async noteFaulty(found, now) {
      if (found.length === 0) return;
      await sql.rows(NOTE_FAULTY, [JSON.stringify(found), now]);
      await sql.rows(FORGET_OLDEST, [RECORD_FAULTS.remembered]);
    },

    async faulty(named) {
      const [known] = await sql.rows<KnownFaults>(FAULTY, [named]);
      return known ?? { total: 0, newest: [] };
    },

    async faultyBefore(before, limit) {
      const rows = await sql.rows<{ record_id: string }>(FAULTY_BEFORE, [before, limit]);
      return rows.map(({ record_id }) => record_id);
    },

    async forgetFaulty(record_ids, before) {
      await sql.rows('delete from app.faulty_records where record_id = any($1) and noted_at < $2', [
        record_ids,
        before,
      ]);
    },
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

/** SQL by hand: an upsert that adds (`joinedMinute`), and the removal of what is too old. */
const ADD_MINUTE = `
  with old as (delete from app.service_minutes where at < $1::timestamptz - $7::interval)
  insert into app.service_minutes as m (at, processes, durations, disk_free, due, log_size, log_waits)
  values ($1, 1, $2::integer[], $3, $4, $5, $6)
  on conflict (at) do update set due = excluded.due, log_size = excluded.log_size, log_waits = excluded.log_waits,
    processes = m.processes + 1, disk_free = least(m.disk_free, excluded.disk_free),
    durations = (select array_agg(coalesce(a, 0) + b order by n)
      from unnest(m.durations, excluded.durations) with ordinality u(a, b, n) where b is not null)`;

/** SQL by hand: an upsert of many, in one order, so that two processes never deadlock. */
const NOTE_FAULTY = `
  insert into app.faulty_records as f (record_id, parts, noted_at)
  select record_id, array(select distinct p from jsonb_array_elements_text(parts) p order by p), $2
  from jsonb_to_recordset($1::jsonb) found(record_id text, parts jsonb) order by record_id
  on conflict (record_id) do update set
    noted_at = greatest(f.noted_at, excluded.noted_at),
    parts = array(select distinct p from unnest(f.parts || excluded.parts) p order by p)`;

/** SQL by hand: all but the newest. What another process is writing is newer. */
const FORGET_OLDEST = `
  delete from app.faulty_records where record_id in (
    select f.record_id from app.faulty_records f where f.record_id in (
      select record_id from app.faulty_records order by noted_at desc, record_id collate "C" desc offset $1)
    for update skip locked)`;

/** SQL by hand: an aggregate. */
const FAULTY = `
  select (select count(*)::float8 from app.faulty_records) as total, coalesce(json_agg(json_build_object(
    'record_id', record_id, 'parts', parts) order by noted_at desc, record_id collate "C" desc), '[]') as newest
  from (select * from app.faulty_records order by noted_at desc, record_id collate "C" desc limit $1) newest`;

const FAULTY_BEFORE = `
  select record_id from app.faulty_records where noted_at < $1 order by noted_at, record_id collate "C" limit $2`;

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
