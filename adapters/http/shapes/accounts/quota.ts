import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';

const pool = z
  .strictObject({
    limit: z.int().describe('The units of today, credit included.'),
    used: z.int(),
    credit: z.int().describe('Earned today by evaluated realtime submissions.'),
    remaining: z.int(),
    reset: instant().describe('00:00 UTC.'),
  })
  .meta({ id: 'QuotaPool' });

/** The daily pools of an owner (interface.md section 8). */
export const quotaUsage = z
  .strictObject({
    query: pool.describe('Cohort queries.'),
    read: pool.describe('Records and batches.'),
    check: z.strictObject({ limit_per_decision: z.int() }).describe('Reads of states: each decision has its own pool.'),
  })
  .meta({ id: 'QuotaUsage' });

const reset = new Date('2026-01-31T00:00:00.000Z');

export const quotaUsageExample = {
  query: { limit: 30, used: 4, credit: 10, remaining: 26, reset },
  read: { limit: 200, used: 17, credit: 0, remaining: 183, reset },
  check: { limit_per_decision: 20 },
};
