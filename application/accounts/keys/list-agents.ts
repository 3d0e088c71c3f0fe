import type { ListedAgent } from '../../../domain/accounts/owner-overview.ts';
import { TRACK_RECORD } from '../../../domain/limits.ts';
import type { Ports } from '../../ports.ts';

/** All agents of the owner, the oldest first, with counts and the time of these (settled.md section 6). */
export function listAgents(
  { ownerOverview }: Pick<Ports, 'ownerOverview'>,
  owner_id: string,
): Promise<readonly ListedAgent[]> {
  return ownerOverview.agents(owner_id, TRACK_RECORD.cache);
}
