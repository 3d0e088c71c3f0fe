import { z } from 'zod';
import { LIFECYCLE_STATES } from '../../../../domain/decisions/lifecycle.ts';
import { API_KEY } from '../../../../domain/limits.ts';
import { DAY } from '../../../../domain/time.ts';
import { instant } from '../../kit/input/query-values.ts';
import { count, countOfEach, distribution } from '../counts.ts';
import { quotaUsage, quotaUsageExample } from './capabilities.ts';

export const dashboard = z
  .strictObject({
    agents: count(),
    keys: count().describe('Keys that are not revoked.'),
    expiring_keys: z
      .array(z.strictObject({ key_prefix: z.string(), label: z.string().nullable(), expires_at: instant() }))
      .describe(`Keys that expire within ${API_KEY.expiryNotice / DAY} days, the next one first: rotate them.`),
    decisions: z.strictObject({
      by_state: countOfEach(LIFECYCLE_STATES)
        .meta({ id: 'CountByState' })
        .describe('All records, archived ones included.'),
      by_bucket: distribution.describe('Evaluated records by bucket, archived ones included.'),
      archived: count(),
    }),
    workflows: count(),
    quota: z.strictObject({ pools: quotaUsage }),
    generated_at: instant(),
  })
  .meta({ id: 'Dashboard' });

export const dashboardExample: z.input<typeof dashboard> = {
  agents: 1,
  keys: 2,
  expiring_keys: [
    { key_prefix: 'sbk_Xk29fQ7b', label: 'Momentum scout', expires_at: new Date('2026-02-05T12:00:00Z') },
  ],
  decisions: {
    by_state: {
      pending_verify: 0,
      verified: 1,
      rejected: 0,
      evaluating: 0,
      deferred: 0,
      data_unavailable: 0,
      evaluated: 3,
      quarantined: 0,
    },
    by_bucket: { strong_correct: 1, weak_correct: 0, weak_incorrect: 2, strong_incorrect: 0 },
    archived: 1,
  },
  workflows: 0,
  quota: { pools: quotaUsageExample },
  generated_at: new Date('2026-01-30T14:30:00Z'),
};
