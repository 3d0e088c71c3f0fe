import type { StoredSecurityEvent } from '../../domain/accounts/security-event.ts';
import type { SecurityEventFilter } from '../../domain/accounts/security-event-store.ts';
import { PAGE } from '../../domain/limits.ts';
import { rfc3339 } from '../../domain/time.ts';
import { filterProblem } from '../decisions/filter-faults.ts';
import { openCursor, sealCursor } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

export interface SecurityEventQuery extends SecurityEventFilter {
  /** The cursor of a page of the same query. */
  readonly cursor?: string | undefined;
  /** 1-100, 20 by default. */
  readonly limit?: number | undefined;
}

export interface SecurityEventPage {
  readonly items: readonly StoredSecurityEvent[];
  readonly next_cursor: string | null;
}

/**
 * A page of the security events that match the query, the newest first; without `owner_id` of all owners and of unknown
 * callers. The pages of a query contain each event once, and none that begins meanwhile.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listSecurityEvents(
  { securityEvents, settings }: Pick<Ports, 'securityEvents' | 'settings'>,
  { cursor, limit = PAGE.defaultLimit, ...filter }: SecurityEventQuery,
): Promise<SecurityEventPage> {
  const about = ['security events', filter];
  const after = cursor === undefined ? null : placeOf(openCursor(settings.sessionSecret, about, cursor));
  const found = await securityEvents.list(filter, after, limit + 1);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, [rfc3339(last.at), last.seq]) : null };
}

/** The decrypted value of a cursor, which only this service can make. */
function placeOf(sealed: unknown): Pick<StoredSecurityEvent, 'at' | 'seq'> {
  if (sealed === null) throw filterProblem({ path: 'cursor', message: 'must be the next_cursor of the same query' });
  const [at, seq] = sealed as readonly [string, string];
  return { at: new Date(at), seq };
}
