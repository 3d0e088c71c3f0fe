import { noSuchAgent } from '../../../domain/accounts/keys/agent-store.ts';
import { type Agent, activeOwner, type ListedAgent, type Owner } from '../../../domain/accounts/owner.ts';
import type { ActionSource } from '../../../domain/accounts/security-event.ts';
import { archivingsPerDay, PAGE, TIER_LIMITS, TRACK_RECORD } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { DAY, rfc3339 } from '../../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../../page-cursor.ts';
import type { Ports } from '../../ports.ts';
import { type Keeper, type KeptSettings, keep } from '../../quotas/keep.ts';
import { sha256 } from '../../sha256.ts';
import { type CountedLimit, counted } from '../sign-in/register-owner.ts';
import { agentsFull } from './add-agent.ts';
import { noteRevoked } from './manage-keys.ts';

type AgentPorts = Pick<Ports, 'owners' | 'logins' | 'transaction'>;
export type RestorePorts = Pick<Ports, 'transaction'> & { readonly settings: KeptSettings };

/**
 * Archives an agent of the owner: its keys are revoked, it makes room for another one, and its records stay as they are.
 * @throws Problem NOT_FOUND, AGENT_ARCHIVED, RATE_LIMIT_EXCEEDED after `archivingsPerDay`
 */
export async function archiveAgent(
  ports: AgentPorts,
  owner_id: string,
  agent_id: string,
  source: ActionSource,
): Promise<Agent> {
  const owner = activeOwner(await ports.owners.find(owner_id));
  return counted(ports, [archivingsOf(owner)], () =>
    ports.transaction(async (stores) => {
      const { agent, keys } = await stores.agents.archive(owner_id, agent_id);
      await noteRevoked(stores, owner_id, keys, source);
      await stores.audit.append({ actor: owner_id, action: 'archive_agent', subject: agent_id, detail: { keys } });
      return agent;
    }),
  );
}

/**
 * Brings an archived agent back, without its keys; an agent in use stays as it is.
 * @throws Problem NOT_FOUND, TIER_LIMIT_REACHED, DAILY_QUOTA_EXCEEDED
 */
export async function restoreAgent(
  { transaction, settings }: RestorePorts,
  { owner_id, network }: Keeper,
  agent_id: string,
): Promise<Agent> {
  return transaction(async ({ owners, agents, audit, kept }) => {
    const { tier } = activeOwner(await owners.find(owner_id));
    const restored = await agents.restore(owner_id, agent_id, TIER_LIMITS[tier].agents);
    if (restored === null) throw noSuchAgent(agent_id);
    if (restored === 'full') throw agentsFull(tier);
    await audit.append({ actor: owner_id, action: 'restore_agent', subject: agent_id, detail: {} });
    await keep({ kept }, settings, { owner_id, network }, 'account_change');
    return restored;
  });
}

/**
 * Removes an agent that has never submitted, with its keys.
 * @throws Problem NOT_FOUND, AGENT_HAS_RECORDS
 */
export async function removeAgent(
  { transaction }: Pick<AgentPorts, 'transaction'>,
  owner_id: string,
  agent_id: string,
  source: ActionSource,
): Promise<void> {
  await transaction(async (stores) => {
    const removed = await stores.agents.remove(owner_id, agent_id);
    if (removed === null) throw noSuchAgent(agent_id);
    if (removed === 'has_records') {
      throw new Problem('AGENT_HAS_RECORDS', `The agent ${agent_id} has records, which stay with it.`);
    }
    const { keys } = removed;
    await noteRevoked(stores, owner_id, keys, source);
    await stores.audit.append({ actor: owner_id, action: 'remove_agent', subject: agent_id, detail: { keys } });
  });
}

function archivingsOf({ owner_id, tier }: Owner): CountedLimit {
  const most = archivingsPerDay(tier);
  return {
    subject: sha256('archivings', owner_id),
    most,
    window: DAY,
    message: `An account of the tier ${tier} may archive ${most} agents a UTC day.`,
    suggestion: 'Wait retry_after_seconds.',
  };
}

interface AgentQuery extends CursorQuery {
  readonly owner_id: string;
  /** Whether archived agents are listed, too. */
  readonly include_archived?: boolean | undefined;
}

/**
 * A page of the owner's agents, the oldest first, with counts and the time of these (settled.md section 6); by default of
 * as many as a page may have.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listAgents(
  { ownerOverview, settings }: Pick<Ports, 'ownerOverview' | 'settings'>,
  { owner_id, include_archived: archived = false, cursor, limit = PAGE.limit }: AgentQuery,
): Promise<CursorPage<ListedAgent>> {
  const about = ['agents', owner_id, archived];
  const sealed = sealedPlace(settings.sessionSecret, about, cursor) as readonly [string, string] | null;
  const after = sealed && { created_at: new Date(sealed[0]), agent_id: sealed[1] };
  const read = (most: number) => ownerOverview.agents(owner_id, TRACK_RECORD.cache, { archived, after, limit: most });
  const { rows: items, last } = await cutPage(read, limit);
  const place = last && [rfc3339(last.created_at), last.agent_id];
  return { items, next_cursor: place ? sealCursor(settings.sessionSecret, about, place) : null };
}
