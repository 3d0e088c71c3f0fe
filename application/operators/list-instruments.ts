import type { InstrumentFilter, ListedInstrument } from '../../domain/market/instrument-list.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

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
