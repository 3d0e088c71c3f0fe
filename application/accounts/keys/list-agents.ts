import type { ListedAgent } from '../../../domain/accounts/owner.ts';
import { PAGE, TRACK_RECORD } from '../../../domain/limits.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../../page-cursor.ts';
import type { Ports } from '../../ports.ts';

export interface AgentQuery extends CursorQuery {
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
