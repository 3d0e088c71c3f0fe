import { type BarSize, lengthOf } from '../../market/bars.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import type { Listing } from '../../market/market-data.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * The time up to which the bars of a source are settled at `now`: bars that ended before it will not be corrected any
 * more. It is never earlier than what an evaluation at its `settlesAt` needs (evaluation.md section 6).
 */
export function settledUntil(
  instrument: Instrument,
  { size, cadence }: { readonly size: BarSize; readonly cadence: Listing['cadence'] },
  now: Millis,
): Millis {
  const calendar = calendarOf(instrument);
  const { crypto, stock, endOfDay } = GRADING.settle;
  if (!calendar.continuous) return calendar.nthBefore(now - (cadence === 'end_of_day' ? endOfDay : stock), 1).close;
  const length = lengthOf(size);
  return Math.floor((now - (cadence === 'end_of_day' ? endOfDay : crypto)) / length) * length;
}

/**
 * What the factors of bars fetched at `now` depend on. A split or a dividend changes the factors of all earlier bars
 * when the session opens; so stocks' bars of one session combine, and never with those of another. Coins have neither:
 * 0.
 */
export function factorBasis(instrument: Instrument, now: Millis): Millis {
  const calendar = calendarOf(instrument);
  if (calendar.continuous) return 0;
  const { open } = calendar.currentOrNext(now);
  return open <= now ? open : calendar.nthBefore(now, 1).open;
}
