import type { SecurityEventFilter, StoredSecurityEvent } from '../../domain/accounts/security-event.ts';
import { rfc3339 } from '../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

/**
 * A page of the security events that match the query, the newest first; without `owner_id` of all owners and of unknown
 * callers. The pages of a query contain each event once, and none that begins meanwhile.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listSecurityEvents(
  { securityEvents, settings }: Pick<Ports, 'securityEvents' | 'settings'>,
  { cursor, limit, ...filter }: SecurityEventFilter & CursorQuery,
): Promise<CursorPage<StoredSecurityEvent>> {
  const about = ['security events', filter];
  const sealed = sealedPlace(settings.sessionSecret, about, cursor) as readonly [string, string] | null;
  const after = sealed && { at: new Date(sealed[0]), seq: sealed[1] };
  const { rows: items, last } = await cutPage((most) => securityEvents.list(filter, after, most), limit);
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, [rfc3339(last.at), last.seq]) : null };
}
