import { EntitySchema } from 'typeorm';
import type { ReportedState } from '../../../domain/service-processes.ts';
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
