import { readDashboard } from '../../../../application/accounts/read-dashboard.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { dashboard, dashboardExample } from '../../shapes/dashboard.ts';

export function dashboardEndpoint(ports: Ports) {
  return endpoint({
    id: 'readDashboard',
    method: 'GET',
    path: '/api/v1/owner/dashboard',
    summary: 'See what you have',
    description: "Raw counts of this moment, and what is left of today's pools. Looking spends nothing.",
    tag: 'Owner records',
    auth: ['owner_bearer', 'legacy_session'],
    replies: { 200: { description: 'The counts.', schema: dashboard, example: dashboardExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller }) {
      const { counts, pools } = await readDashboard(ports, caller.owner_id);
      const { agents, keys, workflows, by_state, by_bucket, archived, at } = counts;
      const decisions = { by_state, by_bucket, archived };
      return { status: 200, body: { agents, keys, decisions, workflows, quota: { pools }, generated_at: at } };
    },
  });
}
