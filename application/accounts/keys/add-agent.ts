import { randomBytes } from 'node:crypto';
import type { Agent, Owner } from '../../../domain/accounts/owner.ts';
import type { Tier } from '../../../domain/caller.ts';
import { agentId } from '../../../domain/identifiers.ts';
import { TIER_LIMITS } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Stores } from '../../ports.ts';

/**
 * Adds an agent to the owner, up to the limit of the tier (settled.md section 7).
 * @throws Problem TIER_LIMIT_REACHED
 */
export async function addAgent(
  { owners }: Pick<Stores, 'owners'>,
  { owner_id, tier }: Pick<Owner, 'owner_id' | 'tier'>,
  name: string,
  created_at: Date,
): Promise<Agent> {
  const agent = { agent_id: agentId(randomBytes(6)), owner_id, name, created_at, archived_at: null };
  const { agents } = TIER_LIMITS[tier];
  if (await owners.addAgent(agent, agents)) return agent;
  throw agentsFull(tier);
}

/** For an owner who has as many agents as the tier holds, archived ones not counted. */
export function agentsFull(tier: Tier): Problem {
  const { agents } = TIER_LIMITS[tier];
  return new Problem('TIER_LIMIT_REACHED', `The tier ${tier} holds ${agents} agents, and you have that many.`, {
    suggestion:
      'Archive one that you no longer use (POST /api/v1/owner/agents/{agent_id}/archive), create a key for one that you ' +
      'have (POST /api/v1/owner/auth/api-keys with its agent_id), or ask the operator for a larger tier.',
  });
}
