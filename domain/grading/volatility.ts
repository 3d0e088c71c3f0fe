import type { Bar } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import type { Millis } from '../time.ts';
import { EVAL_1 } from './eval-1.ts';

/**
 * Volatility of one day from the daily closes that ended at or before an instant (evaluation.md section 3): a fraction,
 * at least 0.001; null when fewer than ten returns are known. `daily` ascends.
 */
export function dailySigma(calendar: Calendar, daily: readonly Bar[], at: Millis): number | null {
  const returns = dailyReturns(calendar, closedBy(daily, at)).slice(-EVAL_1.returns);
  return returns.length < EVAL_1.fewestReturns ? null : sigmaOf(returns);
}

/** The bars that ended at or before an instant. */
export function closedBy(bars: readonly Bar[], at: Millis): readonly Bar[] {
  return bars.filter(({ end }) => end <= at);
}

/** Log returns between adjusted closes of neighbouring sessions; there is none across a missing session. */
export function dailyReturns(calendar: Calendar, daily: readonly Bar[]): readonly number[] {
  return daily.flatMap((bar, i) => {
    const before = daily[i - 1];
    if (!before || calendar.currentOrNext(before.end).close <= bar.start) return [];
    return [Math.log((bar.close * bar.total) / (before.close * before.total))];
  });
}

/** The zero-mean standard deviation of returns, never below the floor. */
export function sigmaOf(returns: readonly number[]): number {
  const squares = returns.reduce((sum, r) => sum + r * r, 0);
  return Math.max(EVAL_1.sigmaFloor, Math.sqrt(squares / returns.length));
}
