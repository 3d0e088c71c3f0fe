import { EntitySchema } from 'typeorm';
import type { ProcessReport } from '../../../domain/market/source-health.ts';
import { INSTANT } from './columns.ts';

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
