import type { Bar } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

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
  return neighbours(calendar, daily).map(returnOf);
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
  return daily.flatMap((bar, i) => {
    const before = daily[i - 1];
    return before && calendar.currentOrNext(before.end).close > bar.start ? [{ before, bar }] : [];
  });
}

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
