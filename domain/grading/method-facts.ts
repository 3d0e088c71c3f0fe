import type { PathFacts } from './paths/path-facts.ts';

/** The facts of an outcome by `eval/1` (evaluation.md section 5) that anyone may see. */
export interface Eval1Facts extends PathFacts {
  readonly method: 'eval/1';
}

/** The facts of an outcome by `eval/2` (evaluation-2.md) that anyone may see. */
export interface Eval2Facts extends PathFacts {
  readonly method: 'eval/2';
  /** The share of nights in the daily variance, in [0, 1); null where trading never stops. */
  readonly omega: number | null;
  /** One step of the price in sigmas of the window from anchor to end. */
  readonly grid_z: number;
  /** The bars of the path, and the bars that the calendar expects whole between anchor and end. */
  readonly bars_traded: number;
  readonly bars_expected: number;
  /** Seconds from the anchor to the entry, and from the exit to the end of the window. */
  readonly seconds_to_entry: number;
  readonly seconds_after_exit: number;
  /** More than half of the opens of the volatility history repeat the close before, so they are not prices of the open. */
  readonly carried_open: boolean;
  /** The path has a jump that looks like a split without a corporate action: the outcome is left out of cohorts. */
  readonly suspected_split: boolean;
}

/** The facts of each method, by its name. */
export interface FactsOf {
  readonly 'eval/1': Eval1Facts;
  readonly 'eval/2': Eval2Facts;
}

/** Every evaluation method that this version knows. */
export const METHOD_NAMES = ['eval/1', 'eval/2'] as const satisfies readonly (keyof FactsOf)[];
export type MethodName = keyof FactsOf;
