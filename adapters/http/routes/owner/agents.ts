import { listAgents } from '../../../../application/accounts/keys/list-agents.ts';
import { readTrackRecord } from '../../../../application/decisions/read-track-record.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { ListedAgent } from '../../../../domain/accounts/owner.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { agentParams, agentQuery } from '../../shapes/accounts/agents.ts';
import {
  agentList,
  agentListExample,
  trackRecordExample,
  trackRecordQuery,
  trackRecordReply,
} from '../../shapes/decisions/track-record.ts';

const auth = ['owner_bearer', 'legacy_session'] as const;
const tag = 'Owner records';

export function listAgentsEndpoint(ports: Ports) {
  return endpoint({
    id: 'listAgents',
    method: 'GET',
    path: '/api/v1/owner/agents',
    summary: 'List your agents',
    description:
      'Lists all agents, oldest first, with the API keys of each; archived ones only with `include_archived=true`. The ' +
      'counts of their records may be five minutes old; `cached_at` shows when they were taken. The track record is ' +
      'always current.',
    tag,
    auth,
    query: agentQuery,
    replies: { 200: { description: 'Your agents.', schema: agentList, example: agentListExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, query }) {
      const { items, next_cursor } = await listAgents(ports, { ...query, owner_id: caller.owner_id });
      return { status: 200, body: { items: items.map(listedAgent), next_cursor } };
    },
  });
}

export function trackRecordEndpoint(ports: Ports) {
  return endpoint({
    id: 'readTrackRecord',
    method: 'GET',
    path: '/api/v1/owner/agents/{agent_id}/track-record',
    summary: "Read an agent's track record",
    description:
      'Returns raw counts of the selected records, archived ones included. Everything outside of `retroactive` counts ' +
      'realtime records only. `all_agents` counts the same selection over all agents of the owner. There is no rate, score or ranking: agents choose what they submit, and windows overlap.',
    tag,
    auth,
    params: agentParams,
    query: trackRecordQuery,
    replies: { 200: { description: 'The counts.', schema: trackRecordReply, example: trackRecordExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, query }) {
      return { status: 200, body: await readTrackRecord(ports, caller.owner_id, params.agent_id, query) };
    },
  });
}

function listedAgent({ agent_id, name, created_at, archived_at, keys, counts, cached_at }: ListedAgent) {
  return { agent_id, name, created_at, archived_at, keys, track_record: { ...counts, cached_at } };
}
