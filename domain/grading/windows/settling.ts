import { SYMBOLS } from '../../limits.ts';
import { type BarSize, lengthOf } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import type { Listing } from '../../market/market-data.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * The instant from which a window may be evaluated (evaluation.md section 6). Crypto: one bar and 120 s after its end.
 * Stocks: 30 minutes after the close of the session that contains the end. End-of-day sources: 6 hours after the day's
 * close.
 */
export function settlesAt(
  instrument: Pick<Instrument, 'market' | 'venue'>,
  { end_time, bar_size, cadence }: { end_time: Millis; bar_size: BarSize; cadence: Listing['cadence'] },
): Millis {
  const closed = lastCloseOf(calendarOf(instrument), end_time);
  if (cadence === 'end_of_day') return closed + GRADING.settle.endOfDay;
  if (instrument.market === 'stock') return closed + GRADING.settle.stock;
  return end_time + lengthOf(bar_size) + GRADING.settle.crypto;
}

/**
 * The close of the session that contains an instant, both ends included, else the instant itself: everything before is
 * closed.
 */
function lastCloseOf(calendar: Calendar, at: Millis): Millis {
  const session = calendar.currentOrNext(at - 1);
  return session.open <= at ? session.close : at;
}

/** A security that has left the lists of its exchange. */
export interface LeftList {
  /** From here on it was off them. */
  readonly since: Millis;
  /** By a statement about its name, and not by the lists alone. */
  readonly stated: boolean;
}

/** When a security that is off its list ended within a window: at its last print, or from when on that counts as such. */
export type ListingEnd = { readonly delisted_at: Millis } | { readonly waits_until: Millis };

/**
 * How leaving the list ends a window that goes on after the last print: once a source states it, else after five sessions
 * off the lists (securities.md section 4). Null where it does not: the window has all of its sessions, or the security had
 * prices after it left.
 * @param last_print the end of the last session in which it traded
 */
export function listingEnd(
  calendar: Calendar,
  { since, stated }: LeftList,
  { last_print, end_time }: { readonly last_print: Millis; readonly end_time: Millis },
  now: Millis,
): ListingEnd | null {
  const tradesOn = last_print > (stated ? since : calendar.currentOrNext(since).close);
  if (tradesOn || calendar.nthFrom(last_print, 1).open >= end_time) return null;
  const isAtOnce = stated && since < end_time;
  const final = isAtOnce ? since : calendar.nthFrom(since, SYMBOLS.goneAfter).close;
  return now >= final ? { delisted_at: last_print } : { waits_until: final };
}

/**
 * How long to wait after the n-th failed evaluation, n from 1; null when the record becomes `data_unavailable`
 * (evaluation.md section 6).
 */
export function retryDelay(attempt: number): Millis | null {
  return GRADING.retries[attempt - 1] ?? null;
}
