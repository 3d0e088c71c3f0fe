import type { AuditFilter, PlacedEntry } from '../../domain/audit-log.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

/**
 * A page of the entries of the audit log that match, the newest first.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listAudit(
  { audit, settings }: Pick<Ports, 'audit' | 'settings'>,
  { cursor, limit, ...filter }: AuditFilter & CursorQuery,
): Promise<CursorPage<PlacedEntry>> {
  const about = ['audit log', filter];
  const before = sealedPlace(settings.sessionSecret, about, cursor) as string | null;
  const { rows: items, last } = await cutPage((most) => audit.page(filter, before, most), limit);
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, last.seq) : null };
}
