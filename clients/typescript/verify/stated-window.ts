import { horizonFault } from '../../../domain/grading/windows/horizon.ts';
import { endTime } from '../../../domain/grading/windows/window.ts';
import type { PublicStatement } from '../../../domain/log/leaves/public-statement.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { identityOf } from '../../../domain/market/instrument.ts';
import { MINUTE, type Millis } from '../../../domain/time.ts';

/** A window that a statement may have. Others see the receipt of a realtime decision to the minute only. */
export interface StatedWindow {
  readonly anchor_time: Millis;
  readonly end_time: Millis;
}

/**
 * The window from each time at which the decision may be anchored, as far as these times differ in what they mean: the
 * start of the minute of its receipt, and the latest millisecond of it.
 * @throws TypeError for a statement without a time or a possible horizon
 */
export function statedWindows(statement: PublicStatement): readonly StatedWindow[] {
  const { submission_origin, data_cutoff, submission_time } = statement;
  const fault = horizonFault(statement);
  const from = Date.parse(submission_origin === 'retroactive' ? data_cutoff : submission_time);
  if (fault || !Number.isFinite(from)) throw new TypeError('The statement has no possible window.');
  const anchors = submission_origin === 'retroactive' ? [from] : [from, from + MINUTE - 1];
  const call = { ...statement, instrument: identityOf(statement) };
  return anchors.map((anchor_time) => ({ anchor_time, end_time: endTime(call, anchor_time) }));
}

/** Whether holidays may move the end of the window: the calendar of its year is not known here. */
export function isApproximate(statement: PublicStatement, { end_time }: StatedWindow): boolean {
  return statement.horizon_kind === 'trading_days' && calendarOf(statement).isGeneric(end_time);
}
