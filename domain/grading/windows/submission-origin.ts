import type { Calendar } from '../../market/calendar.ts';
import { lastInstantWithin } from '../../market/open-time.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * The last receive time at which a decision on data up to `data_cutoff` is realtime. A decision received later is
 * retroactive: more market-open time than two sessions, for crypto two hours, is between cutoff and receipt
 * (evaluation.md section 1).
 */
export function lastRealtimeReceipt(calendar: Calendar, data_cutoff: Millis): Millis {
  return lastInstantWithin(calendar, data_cutoff, staleLimit(calendar));
}

function staleLimit(calendar: Calendar): Millis {
  return calendar.continuous ? GRADING.retroactiveCrypto : GRADING.retroactiveSessions * calendar.regular_session;
}
