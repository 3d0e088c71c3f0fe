import type { Calendar } from '../../market/calendar.ts';
import type { Millis } from '../../time.ts';
import { tauOf } from './path.ts';
import { type Neighbours, sumOfSquares } from './volatility.ts';

/**
 * The share of nights in the variance from close to close (evaluation-2.md section 2): the squares of the moves from a
 * close to the next open, over those and the squares of the moves from open to close. In [0, 1]; null when no price
 * moved, and where trading never stops.
 */
export function nightShare(calendar: Calendar, returns: readonly Neighbours[]): number | null {
  if (calendar.continuous) return null;
  const nights = sumOfSquares(returns.map(overnight));
  const days = sumOfSquares(returns.map(({ bar }) => Math.log(bar.close / bar.open)));
  return nights + days === 0 ? null : nights / (nights + days);
}

/**
 * The weight of a span of time, in days or sessions: each session weighs 1 - omega, in proportion to its part of the
 * span, and each night within the span omega.
 * @param omega the share of nights; null where nights have none
 */
export function tauWithNights(calendar: Calendar, omega: number | null, from: Millis, to: Millis): number {
  const sessions = tauOf(calendar, from, to);
  return omega === null ? sessions : (1 - omega) * sessions + omega * nightsBetween(calendar, from, to);
}

/** The sessions that open after `from` and before `to`: a weekend is one night, lunch is none. */
function nightsBetween(calendar: Calendar, from: Millis, to: Millis): number {
  return calendar.sessions(from, to).filter(({ open }) => open > from).length;
}

/** The log return from the close of a session to the open of the next one, adjusted. */
function overnight({ before, bar }: Neighbours): number {
  return Math.log((bar.open * bar.total) / (before.close * before.total));
}
