import { z } from 'zod';
import {
  archiveAgent,
  listAgents,
  type RestorePorts,
  removeAgent,
  restoreAgent,
} from '../../../../application/accounts/keys/manage-agents.ts';
import { readDashboard } from '../../../../application/accounts/own-account.ts';
import { countOutcomes } from '../../../../application/decisions/count-outcomes.ts';
import { readTrackRecord } from '../../../../application/decisions/read-track-record.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { Agent, ListedAgent } from '../../../../domain/accounts/owner.ts';
import { archivingsPerDay, PAGE } from '../../../../domain/limits.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { instant } from '../../kit/input/query-values.ts';
import { dashboard, dashboardExample } from '../../shapes/accounts/dashboard.ts';
import { outcomesExample, outcomesQuery, outcomesReply } from '../../shapes/decisions/outcome-periods.ts';
import { agentIdText, includeArchived } from '../../shapes/decisions/own-records.ts';
import {
  agentList,
  agentListExample,
  trackRecordExample,
  trackRecordQuery,
  trackRecordReply,
} from '../../shapes/decisions/track-record.ts';
import { paged } from '../../shapes/texts.ts';

const auth = ['owner_bearer', 'legacy_session'] as const;
const tag = 'Owner records';

/** The path of requests for one agent. */
const params = z.strictObject({
  agent_id: agentIdText().describe('The id of the agent: `agt_` and 12 hex digits.'),
});

/** The parameters of the list of agents. */
const agentQuery = z.strictObject({
  include_archived: includeArchived(),
  ...paged('Agents', { usual: PAGE.limit }),
});

const agentState = z
  .strictObject({
    agent_id: z.string(),
    name: z.string(),
    created_at: instant(),
    archived_at: instant().nullable().describe('null: it is in use.'),
  })
  .meta({ id: 'AgentState' });

const agentStateExample: z.input<typeof agentState> = {
  agent_id: 'agt_4f1c2d3e5a6b',
  name: 'Scout',
  created_at: new Date('2026-01-29T08:00:00Z'),
  archived_at: new Date('2026-01-30T14:30:00Z'),
};

export function agentEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    dashboardEndpoint(ports),
    outcomesEndpoint(ports),
    listAgentsEndpoint(ports),
    trackRecordEndpoint(ports),
    archiveAgentEndpoint(ports),
    restoreAgentEndpoint(ports),
    removeAgentEndpoint(ports),
  ];
}

function listAgentsEndpoint(ports: Ports) {
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

function trackRecordEndpoint(ports: Ports) {
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
    params,
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

function dashboardEndpoint(ports: Ports) {
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

function outcomesEndpoint(ports: Pick<Ports, 'ownerRecords'>) {
  return endpoint({
    id: 'countOutcomes',
    method: 'GET',
    path: '/api/v1/owner/outcomes',
    isAddition: true,
    summary: 'Count your outcomes by time',
    description:
      'Counts graded decisions, archived ones included, by the week or month in which their windows ended: realtime and ' +
      'retroactive ones apart, by the direction that was stated, and by what each direction would have got. Periods without one are left out.',
    tag,
    auth,
    query: outcomesQuery,
    replies: {
      200: { description: 'The counts, the first period first.', schema: outcomesReply, example: outcomesExample },
    },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, query: { since = null, agent_id = null, by = 'week' } }) {
      return { status: 200, body: { by, items: await countOutcomes(ports, caller.owner_id, { since, agent_id }, by) } };
    },
  });
}

function archiveAgentEndpoint(ports: Pick<Ports, 'owners' | 'logins' | 'transaction'>) {
  return endpoint({
    id: 'archiveAgent',
    method: 'POST',
    path: '/api/v1/owner/agents/{agent_id}/archive',
    isAddition: true,
    summary: 'Archive an agent',
    description:
      'Revokes the keys of the agent for good, and makes room for another one. Its records stay: they are graded, public ' +
      'and counted as before. An account may archive as many agents in a UTC day as its tier holds ' +
      `(${archivingsPerDay('free')}, or ${archivingsPerDay('pro')}).`,
    tag,
    auth,
    params,
    replies: { 200: { description: 'It is archived.', schema: agentState, example: agentStateExample } },
    problems: ['NOT_FOUND', 'AGENT_ARCHIVED'],
    async handle({ caller, params: { agent_id }, source }) {
      return { status: 200, body: stateOf(await archiveAgent(ports, caller.owner_id, agent_id, source)) };
    },
  });
}

function restoreAgentEndpoint(ports: RestorePorts) {
  return endpoint({
    id: 'restoreAgent',
    method: 'POST',
    path: '/api/v1/owner/agents/{agent_id}/restore',
    isAddition: true,
    summary: 'Bring an archived agent back',
    description:
      'It has no keys then: create one. An agent that is not archived stays as it is. When the tier holds no more agents ' +
      'the reply is 429 TIER_LIMIT_REACHED.',
    tag,
    auth,
    params,
    replies: {
      200: {
        description: 'It is in use.',
        schema: agentState,
        example: { ...agentStateExample, archived_at: null },
      },
    },
    problems: ['NOT_FOUND', 'TIER_LIMIT_REACHED', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller: { owner_id }, params: { agent_id }, network }) {
      return { status: 200, body: stateOf(await restoreAgent(ports, { owner_id, network }, agent_id)) };
    },
  });
}

function removeAgentEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'removeAgent',
    method: 'DELETE',
    path: '/api/v1/owner/agents/{agent_id}',
    isAddition: true,
    summary: 'Remove an agent without records',
    description:
      'Removes an agent that has never submitted, with its keys, for good. One with records stays: 409 AGENT_HAS_RECORDS; ' +
      'archive it.',
    tag,
    auth,
    params,
    replies: { 204: { description: 'It is removed.' } },
    problems: ['NOT_FOUND', 'AGENT_HAS_RECORDS'],
    async handle({ caller, params: { agent_id }, source }) {
      await removeAgent(ports, caller.owner_id, agent_id, source);
      return { status: 204 };
    },
  });
}

function stateOf({ agent_id, name, created_at, archived_at }: Agent) {
  return { agent_id, name, created_at, archived_at };
}
