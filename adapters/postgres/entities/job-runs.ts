import { EntitySchema } from 'typeorm';
import type { JobRuns } from '../../../domain/service-processes.ts';
import { INSTANT } from './columns.ts';

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
