import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * An instrument must have traded by this instant for a record anchored at `anchor` to have the fewest daily returns
 * that volatility needs (evaluation.md section 3).
 */
export function historyNeededFrom(instrument: Instrument, anchor: Millis): Millis {
  return calendarOf(instrument).nthBefore(anchor, GRADING.fewestReturns + 1).open;
}
