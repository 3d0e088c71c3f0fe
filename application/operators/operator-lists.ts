import type { AuditFilter, PlacedEntry } from '../../domain/audit-log.ts';
import type { QuarantinedFilter, QuarantinedRecord } from '../../domain/decisions/moderation/moderation.ts';
import type { InstrumentFilter, ListedInstrument } from '../../domain/market/instrument-store.ts';
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

/**
 * A page of the instruments that the service knows, or that a refresh is queued for, in the order of their names.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listInstruments(
  { instrumentList, settings }: Pick<Ports, 'instrumentList' | 'settings'>,
  { cursor, limit, ...filter }: InstrumentFilter & CursorQuery,
): Promise<CursorPage<ListedInstrument>> {
  const about = ['instruments', filter];
  const after = sealedPlace(settings.sessionSecret, about, cursor) as string | null;
  const { rows: items, last } = await cutPage((most) => instrumentList.list(filter, after, most), limit);
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, last.key) : null };
}

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
