import { readDashboard } from '../../../../application/accounts/read-dashboard.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { dashboard, dashboardExample } from '../../shapes/accounts/dashboard.ts';

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
