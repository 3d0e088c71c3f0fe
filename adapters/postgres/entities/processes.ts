import { EntitySchema } from 'typeorm';
import type { ProcessReport } from '../../../domain/market/source-health.ts';
import type { ServiceMinute } from '../../../domain/service-minutes.ts';
import type { JobRuns, ReportedState } from '../../../domain/service-processes.ts';
import { INSTANT } from './columns.ts';

export const SERVICE_PROCESSES = new EntitySchema<ReportedState>({
  name: 'service_processes',
  tableName: 'service_processes',
  schema: 'app',
  columns: {
    process: { type: 'text', primary: true },
    release: { type: 'text' },
    answers_requests: { type: 'boolean' },
    runs_jobs: { type: 'boolean' },
    started_at: INSTANT,
    connections: { type: 'jsonb', nullable: true },
    signing: { type: 'text', nullable: true },
    running: { type: 'jsonb' },
    reported_at: INSTANT,
    faulty_records: { type: 'jsonb', nullable: true },
    disk: { type: 'jsonb', nullable: true },
  },
});

export const JOB_RUNS = new EntitySchema<JobRuns>({
  name: 'job_runs',
  tableName: 'job_runs',
  schema: 'app',
  columns: {
    job: { type: 'text', primary: true },
    last_started_at: { ...INSTANT, nullable: true },
    last_succeeded_at: { ...INSTANT, nullable: true },
    last_failed_at: { ...INSTANT, nullable: true },
    last_error: { type: 'text', nullable: true },
    failures: { type: 'integer' },
  },
});

export const SERVICE_MINUTES = new EntitySchema<ServiceMinute>({
  name: 'service_minutes',
  tableName: 'service_minutes',
  schema: 'app',
  columns: {
    at: { ...INSTANT, primary: true },
    processes: { type: 'integer' },
    durations: { type: 'integer', array: true },
    disk_free: { type: 'double precision', nullable: true },
    due: { type: 'integer' },
    log_size: { type: 'double precision', nullable: true },
    log_waits: { type: 'integer' },
  },
});

export const SOURCE_HEALTH = new EntitySchema<ProcessReport>({
  name: 'source_health',
  tableName: 'source_health',
  schema: 'app',
  columns: {
    process: { type: 'text', primary: true },
    source: { type: 'text', primary: true },
    serves: { type: 'text' },
    state: { type: 'text' },
    failures: { type: 'integer' },
    last_error: { type: 'text', nullable: true },
    last_error_at: { ...INSTANT, nullable: true },
    last_success_at: { ...INSTANT, nullable: true },
    reported_at: { ...INSTANT, name: 'told_at' },
  },
});
