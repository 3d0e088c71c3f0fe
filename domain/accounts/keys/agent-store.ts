import { Problem } from '../../problem.ts';
import type { Agent } from '../owner.ts';

/** An agent that was archived or removed, as it is or was. */
export interface DepartedAgent {
  readonly agent: Agent;
  /** The prefixes of its keys that ended with it: those that were unrevoked. */
  readonly keys: readonly string[];
}

/**
 * What owners do with the agents that they no longer use. Each call waits for submissions by the keys of the agent and for
 * keys that are being added, and throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED for a suspended one.
 */
export interface AgentStore {
  /**
   * Archives the agent and revokes its keys: after this is acknowledged nothing is accepted from it, and it does not count
   * for the limit of agents. Its records stay. Of concurrent calls one archives.
   * @throws Problem NOT_FOUND for an agent that the owner does not have, AGENT_ARCHIVED
   */
  archive(owner_id: string, agent_id: string): Promise<DepartedAgent>;

  /**
   * Brings an archived agent back, without keys; another one stays as it is. Null when the owner has no such agent; `full`
   * when the owner has `atMost` agents that are not archived, which concurrent calls never exceed together with `addAgent`.
   */
  restore(owner_id: string, agent_id: string, atMost: number): Promise<Agent | 'full' | null>;

  /**
   * Removes the agent and its keys, archived or not. Null when the owner has no such agent; `has_records` when it has
   * submitted or has a set of back-tests, and then nothing changes: no record ever loses its agent by this.
   */
  remove(owner_id: string, agent_id: string): Promise<DepartedAgent | 'has_records' | null>;
}

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
