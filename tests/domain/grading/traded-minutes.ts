import { EVAL_2 } from '../../../domain/grading/eval-2.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { MINUTE } from '../../../domain/time.ts';
import { series } from '../market/real-bars.ts';
import { type Changes, history, minutesOf, noon, tenMinutesBy } from './evaluations.ts';

/** The history with steps of a thousandth, so that prices are not too coarse. */
export const finely = (bars: readonly Bar[]) =>
  bars.map((bar, i) => (i % 10 === 9 ? { ...bar, high: bar.high + 0.001 } : bar));
export const fine = finely(history);

export const tenMinutes = (path: readonly Bar[], { evidence = {}, ...changes }: Changes = {}) =>
  tenMinutesBy(EVAL_2, path, { ...changes, evidence: { daily: series(fine), ...evidence } });

export const rising = minutesOf(
  Array.from({ length: 40 }, (_, i) => 100 + i),
  noon - 5 * MINUTE,
);

/** Minutes from ten before noon on, one per price; null traded nothing and is sent as a flat bar, undefined is missing. */
export function printed(prices: readonly (number | null | undefined)[]): Bar[] {
  let last = 100;
  return prices.flatMap((price, i) => {
    const start = noon + (i - 10) * MINUTE;
    const close = price ?? last;
    const flat = { start, end: start + MINUTE, open: close, high: close, low: close, close, split: 1, total: 1 };
    last = close;
    if (price === undefined) return [];
    return [price === null ? { ...flat, volume: 0 } : { ...flat, low: close - 0.01, volume: 1 }];
  });
}

export const repeat = <T>(value: T, count: number): T[] => Array.from({ length: count }, () => value);
