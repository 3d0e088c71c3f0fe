import type { Bar } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import { tauOf } from './path.ts';

/**
 * Volatility of one day from the daily closes that ended at or before an instant (evaluation.md section 3): a fraction,
 * at least 0.001; null when fewer than ten returns are known. `daily` ascends.
 */
export function dailySigma(calendar: Calendar, daily: readonly Bar[], at: Millis): number | null {
  const returns = dailyReturns(calendar, closedBy(daily, at)).slice(-GRADING.returns);
  return returns.length < GRADING.fewestReturns ? null : sigmaOf(returns);
}

/** The bars that ended at or before an instant. */
export function closedBy(bars: readonly Bar[], at: Millis): readonly Bar[] {
  return bars.filter(({ end }) => end <= at);
}

/** Log returns between adjusted closes of neighbouring sessions; there is none across a missing session. */
export function dailyReturns(calendar: Calendar, daily: readonly Bar[]): readonly number[] {
  const returns: number[] = [];
  for (let i = 1; i < daily.length; i += 1) {
    const [before, bar] = [daily[i - 1], daily[i]];
    if (before && bar && isNext(calendar, before, bar)) returns.push(returnOf({ before, bar }));
  }
  return returns;
}

/** The bars of two sessions between which the calendar has none. */
export interface Neighbours<B = Bar> {
  readonly before: B;
  readonly bar: B;
}

/** Each bar with that of the session before it, where there is one. `daily` ascends. */
export function neighbours<B extends Pick<Bar, 'start' | 'end'>>(
  calendar: Calendar,
  daily: readonly B[],
): readonly Neighbours<B>[] {
  const pairs: Neighbours<B>[] = [];
  for (let i = 1; i < daily.length; i += 1) {
    const [before, bar] = [daily[i - 1], daily[i]];
    if (before && bar && isNext(calendar, before, bar)) pairs.push({ before, bar });
  }
  return pairs;
}

/** Where trading never stops most days begin when the one before ends: no session needs to be looked up. */
function isNext(calendar: Calendar, before: Pick<Bar, 'end'>, bar: Pick<Bar, 'start'>): boolean {
  if (before.end === bar.start) return true;
  const known = neighbourhood.get(bar);
  if (known?.before === before && known.calendar === calendar) return known.isNext;
  const found = calendar.currentOrNext(before.end).close > bar.start;
  neighbourhood.set(bar, { before, calendar, isNext: found });
  return found;
}

/** Windows of one instrument share most of their days. */
const neighbourhood = new WeakMap<
  Pick<Bar, 'start'>,
  { readonly before: Pick<Bar, 'end'>; readonly calendar: Calendar; readonly isNext: boolean }
>();

/** The log return from close to close, adjusted. */
export function returnOf({ before, bar }: Neighbours): number {
  return Math.log((bar.close * bar.total) / (before.close * before.total));
}

/** The zero-mean standard deviation of returns, never below the floor. */
export function sigmaOf(returns: readonly number[]): number {
  return Math.max(GRADING.sigmaFloor, Math.sqrt(sumOfSquares(returns) / returns.length));
}

export function sumOfSquares(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

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
