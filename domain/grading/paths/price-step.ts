import type { Bar } from '../../market/bars.ts';
import { type Unavailable, unavailable } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * The smallest difference between two raw prices of a history (evaluation-2.md section 3), from its bars in the units of
 * `split`. Few bars show only some of the steps: where there are fewer than 10, those of the last units before count
 * too, each compared with its like. Infinity when no two prices differ.
 * @param history ascending
 */
export function priceStep(history: readonly Bar[], split: number): number {
  const units = new Set([split, ...history.map((bar) => bar.split).reverse()]);
  let [seen, step] = [0, Number.POSITIVE_INFINITY];
  for (const unit of units) {
    if (seen >= GRADING.fewestReturns && Number.isFinite(step)) return step;
    const bars = history.filter((bar) => bar.split === unit);
    seen += bars.length;
    step = Math.min(step, smallestStep(bars));
  }
  return step;
}

/**
 * One step of the price in sigmas of a window.
 * @param price in the units of `split`
 * @param sigmaH the volatility of the window
 */
export function gridZ(
  history: readonly Bar[],
  { price, split }: { readonly price: number; readonly split: number },
  sigmaH: number,
): number {
  return Math.log1p(priceStep(history, split) / price) / sigmaH;
}

/** Why a window is too short for the steps of its price; null when it is not. */
export function gridFault(grid_z: number): Unavailable | null {
  if (grid_z <= GRADING.widestStep) return null;
  const detail = `One step of the price is ${grid_z.toFixed(3)} sigmas of the window, more than ${GRADING.widestStep}.`;
  return unavailable('coarse_prices', detail);
}

/** Of any two prices; those that differ by a millionth or less are one. */
function smallestStep(bars: readonly Bar[]): number {
  const prices = new Float64Array(4 * bars.length);
  for (const [i, { open, high, low, close }] of bars.entries()) prices.set([open, high, low, close], 4 * i);
  prices.sort();
  const after = (index: number) => prices[index] ?? Number.POSITIVE_INFINITY;
  let [step, next] = [Number.POSITIVE_INFINITY, 0];
  for (const price of prices) {
    while (after(next) - price <= GRADING.equalPrices * price) next += 1;
    step = Math.min(step, after(next) - price);
  }
  return step;
}
