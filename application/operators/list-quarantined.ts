import type { QuarantinedFilter, QuarantinedRecord } from '../../domain/decisions/moderation/quarantined-records.ts';
import { rfc3339 } from '../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

/**
 * A page of the records under quarantine, the one submitted last first.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listQuarantined(
  { quarantined, settings }: Pick<Ports, 'quarantined' | 'settings'>,
  { cursor, limit, ...filter }: QuarantinedFilter & CursorQuery,
): Promise<CursorPage<QuarantinedRecord>> {
  const about = ['quarantined records', filter];
  const sealed = sealedPlace(settings.sessionSecret, about, cursor) as readonly [string, string] | null;
  const before = sealed && { submission_time: new Date(sealed[0]), record_id: sealed[1] };
  const { rows: items, last } = await cutPage((most) => quarantined.list(filter, before, most), limit);
  const place = last && [rfc3339(last.submission_time), last.record_id];
  return { items, next_cursor: place ? sealCursor(settings.sessionSecret, about, place) : null };
}
