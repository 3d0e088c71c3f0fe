import {
  archiveAgent,
  type RestorePorts,
  removeAgent,
  restoreAgent,
} from '../../../../application/accounts/keys/manage-agents.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { Agent } from '../../../../domain/accounts/owner.ts';
import { archivingsPerDay } from '../../../../domain/limits.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { agentParams, agentState, agentStateExample } from '../../shapes/accounts/agents.ts';

const auth = ['owner_bearer', 'legacy_session'] as const;
const tag = 'Owner records';
const params = agentParams;

export function archiveAgentEndpoint(ports: Pick<Ports, 'owners' | 'logins' | 'transaction'>) {
  return endpoint({
    id: 'archiveAgent',
    method: 'POST',
    path: '/api/v1/owner/agents/{agent_id}/archive',
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

export function restoreAgentEndpoint(ports: RestorePorts) {
  return endpoint({
    id: 'restoreAgent',
    method: 'POST',
    path: '/api/v1/owner/agents/{agent_id}/restore',
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

export function removeAgentEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'removeAgent',
    method: 'DELETE',
    path: '/api/v1/owner/agents/{agent_id}',
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
