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

/**
 * How long to wait after the n-th failed evaluation, n from 1; null when the record becomes `data_unavailable`
 * (evaluation.md section 6).
 */
export function retryDelay(attempt: number): Millis | null {
  return GRADING.retries[attempt - 1] ?? null;
}
