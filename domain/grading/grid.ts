import { COHORT } from '../limits.ts';
import type { OutcomeFacts } from './outcome.ts';

/** Whether one step of the price is narrow next to the buckets of the window (evaluation-2.md section 3). */
export const GRIDS = ['fine', 'coarse'] as const;
export type Grid = (typeof GRIDS)[number];

/** null for an outcome by a method that measures no step. */
export function gridOf(facts: OutcomeFacts): Grid | null {
  if (facts.method === 'eval/1') return null;
  return facts.grid_z <= COHORT.fineGrid ? 'fine' : 'coarse';
}
