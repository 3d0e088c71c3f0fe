import { z } from 'zod';
import { readDashboard } from '../../../../application/accounts/read-dashboard.ts';
import type { Ports } from '../../../../application/ports.ts';
import { LIFECYCLE_STATES } from '../../../../domain/decisions/lifecycle.ts';
import { API_KEY } from '../../../../domain/limits.ts';
import { DAY } from '../../../../domain/time.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { instant } from '../../kit/input/query-values.ts';
import { quotaUsage, quotaUsageExample } from '../../shapes/accounts/quota.ts';
import { count, countOfEach, distribution } from '../../shapes/counts.ts';

const dashboard = z
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

const dashboardExample: z.input<typeof dashboard> = {
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

export function dashboardEndpoint(ports: Ports) {
  return endpoint({
    id: 'readDashboard',
    method: 'GET',
    path: '/api/v1/owner/dashboard',
    summary: 'Read your dashboard',
    description: "Returns current raw counts and the remaining units of today's pools. It takes no unit of a pool.",
    tag: 'Owner records',
    auth: ['owner_bearer', 'legacy_session'],
    replies: { 200: { description: 'The counts.', schema: dashboard, example: dashboardExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller }) {
      const { counts, pools, expiringKeys } = await readDashboard(ports, caller.owner_id);
      const { agents, keys, workflows, by_state, by_bucket, archived, at } = counts;
      const decisions = { by_state, by_bucket, archived };
      const expiring_keys = expiringKeys.map(({ key_prefix, label, expires_at }) => ({
        key_prefix,
        label,
        expires_at,
      }));
      const body = { agents, keys, expiring_keys, decisions, workflows, quota: { pools }, generated_at: at };
      return { status: 200, body };
    },
  });
}
