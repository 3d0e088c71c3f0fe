import type { Window } from '../decisions/call.ts';
import type { Bar } from '../market/bars.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Millis } from '../time.ts';
import { judgeDays, recentHistory } from './bars/recent-history.ts';
import type { Unavailable } from './evaluation.ts';
import { gridFault, gridZ } from './paths/price-step.ts';
import { tauWithNights } from './paths/volatility.ts';

/**
 * Why `eval/3` will not grade a window, as far as the daily bars that are known at submission show; else null. The price
 * of the entry is taken to be the last close (evaluation-2.md sections 2 and 3, evaluation-3.md section 5).
 * @param daily ascending
 */
export function foreseenFault(
  instrument: Instrument,
  { anchor_time, end_time }: Window<Millis>,
  daily: readonly Bar[],
): Unavailable | null {
  const calendar = calendarOf(instrument);
  const days = judgeDays(calendar, daily, anchor_time, null);
  const history = recentHistory(calendar, days);
  if ('kind' in history) return history;
  const { lastDay } = days;
  const { sigma_d, omega, bars } = history;
  const tau = tauWithNights(calendar, omega, anchor_time, end_time);
  if (!lastDay || tau <= 0) return null;
  return gridFault(gridZ(bars, { price: lastDay.close, split: lastDay.split }, sigma_d * Math.sqrt(tau)));
}
