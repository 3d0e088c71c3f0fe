import type { Bar } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import { phi } from './normal.ts';
import { closedBy, dailyReturns, sigmaOf } from './volatility.ts';

/** The market around an instant (evaluation.md section 7): both numbers in [0, 1]. */
export interface Regime {
  /** `{up|range|down}_{low|mid|high}`. */
  readonly label: string;
  readonly vol: number;
  readonly trend: number;
}

/** The regime by the daily closes that ended at or before an instant; null with fewer than 80 of them. `daily` ascends. */
export function regimeAt(calendar: Calendar, daily: readonly Bar[], at: Millis): Regime | null {
  const closed = closedBy(daily, at);
  const returns = dailyReturns(calendar, closed);
  const sigmas = rollingSigmas(returns, calendar.continuous ? GRADING.volRank.crypto : GRADING.volRank.stock);
  // Sixty values of twenty returns each take eighty closes.
  if (sigmas.length < GRADING.volRank.fewest) return null;
  const strength = trendStrength(closed, returns);
  const vol = percentileRank(sigmas);
  return { label: regimeLabel(strength, vol), vol, trend: phi(strength) };
}

/**
 * `{up|range|down}_{low|mid|high}`. Each edge belongs to the outer trend and to the lower volatility: up from T = 0.4307,
 * down from T = -0.4307, low up to 1/3, mid up to 2/3.
 * @param strength T of evaluation.md section 7, in sigmas
 * @param vol the percentile rank of the volatility, in [0, 1]
 */
export function regimeLabel(strength: number, vol: number): string {
  return `${trendLabel(strength)}_${volLabel(vol)}`;
}

/** sigma_20 after each of the last `count` returns that have 20 behind them. */
function rollingSigmas(returns: readonly number[], count: number): readonly number[] {
  const first = Math.max(GRADING.returns, returns.length - count + 1);
  const squares = Float64Array.from(returns, (value) => value * value);
  const sigmas: number[] = [];
  for (let end = first; end <= returns.length; end += 1) {
    // Summed anew for each, in this order, so that no rounding depends on how many there are.
    let sum = 0;
    for (let i = end - GRADING.returns; i < end; i += 1) sum += squares[i] ?? 0;
    sigmas.push(Math.max(GRADING.sigmaFloor, Math.sqrt(sum / GRADING.returns)));
  }
  return sigmas;
}

/** The move over twenty sessions in its own sigmas. */
function trendStrength(closed: readonly Bar[], returns: readonly number[]): number {
  const { trendReturns, sigmaReturns } = GRADING.regime;
  const [then, now] = [closed.at(-1 - trendReturns), closed.at(-1)];
  if (!then || !now) return 0;
  const move = Math.log((now.close * now.total) / (then.close * then.total));
  return move / (sigmaOf(returns.slice(-sigmaReturns)) * Math.sqrt(trendReturns));
}

/** The rank of the last value among all of them; equal ones count half, so that a constant ranks in the middle. */
function percentileRank(values: readonly number[]): number {
  const last = values.at(-1) ?? 0;
  const below = values.filter((value) => value < last).length;
  const equal = values.filter((value) => value === last).length;
  return (below + equal / 2) / values.length;
}

function trendLabel(strength: number): 'up' | 'range' | 'down' {
  if (strength >= GRADING.regime.trendEdge) return 'up';
  return strength <= -GRADING.regime.trendEdge ? 'down' : 'range';
}

function volLabel(vol: number): 'low' | 'mid' | 'high' {
  const [low, mid] = GRADING.regime.volEdges;
  if (vol <= low) return 'low';
  return vol <= mid ? 'mid' : 'high';
}
