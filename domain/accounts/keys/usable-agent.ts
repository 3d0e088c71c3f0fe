import { Problem } from '../../problem.ts';
import type { Agent } from '../owner.ts';

/** The agent, which may get a key. @throws Problem NOT_FOUND without one, AGENT_ARCHIVED */
export function usableAgent<A extends Pick<Agent, 'archived_at'>>(agent: A | null | undefined, agent_id: string): A {
  if (!agent) throw noSuchAgent(agent_id);
  if (agent.archived_at === null) return agent;
  throw new Problem('AGENT_ARCHIVED', `The agent ${agent_id} is archived.`);
}

/** For an agent that the owner does not have. */
export function noSuchAgent(agent_id: string): Problem {
  return new Problem('NOT_FOUND', `You have no agent ${agent_id.slice(0, 40)}.`, {
    suggestion: 'Send an agent_id that GET /api/v1/owner/agents lists.',
  });
}
