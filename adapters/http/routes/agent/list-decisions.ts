import { listAgentRecords } from '../../../../application/decisions/list-own-records.ts';
import type { Ports } from '../../../../application/ports.ts';
import { Problem } from '../../../../domain/problem.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { agentRecordPage, agentRecordPageExample, ownRecordsQuery } from '../../shapes/decisions/own-records.ts';
import { SUMMARY_WRITER } from '../../shapes/decisions/written-summary.ts';

export function listAgentDecisionsEndpoint(ports: Ports) {
  return endpoint({
    id: 'listAgentDecisions',
    method: 'GET',
    path: '/api/v1/agent/decisions',
    summary: "List the agent's own records",
    description:
      'Lists the records of the agent that the key is bound to, in every state, newest submission first. Records of ' +
      "the owner's other agents are not included. It takes no unit of a pool.",
    tag: 'Agent decisions',
    auth: ['api_key'],
    query: ownRecordsQuery,
    replies: { 200: { description: 'A page of records.', schema: agentRecordPage, example: agentRecordPageExample } },
    problems: ['KEY_UNBOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, query }) {
      const { agent_id, owner_id } = caller;
      if (agent_id === null)
        throw new Problem('KEY_UNBOUND', 'This API key is not bound to an agent, so it has no records.');
      return { status: 200, body: await listAgentRecords(ports, SUMMARY_WRITER, owner_id, { ...query, agent_id }) };
    },
  });
}
