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

/** The facts of an outcome by `eval/3` (evaluation-3.md) that anyone may see. */
export interface Eval3Facts extends Omit<Eval2Facts, 'method'> {
  readonly method: 'eval/3';
  /** A jump of the price that nothing explains yet: the outcome is left out of cohorts. */
  readonly suspected_split: boolean;
  /** The last prices of the window or of the history were far from those before, and none came after them. */
  readonly suspected_price: boolean;
  /** How many prices nobody could trade at again: of the window, and of the days before it. */
  readonly prices_left_out: { readonly path: number; readonly history: number };
  /** The largest leap over a night that is real: the new price over the old one, adjusted; null without one. */
  readonly night_leap: number | null;
  /** The date of the oldest day that `sigma_d` rests on. */
  readonly history_from: string;
  /** What the reference of the venue did meanwhile; null where it is not known, and for the reference itself. */
  readonly market: MarketMove | null;
}

export interface MarketMove {
  /** The key of the instrument. */
  readonly instrument: string;
  /** From the last daily close at or before the entry to the last at or before the exit: a fraction. */
  readonly move: number;
}

/** The facts of each method, by its name. */
export interface FactsOf {
  readonly 'eval/1': Eval1Facts;
  readonly 'eval/2': Eval2Facts;
  readonly 'eval/3': Eval3Facts;
}

export type MethodName = keyof FactsOf;

/** Every evaluation method that this version knows. */
export const METHOD_NAMES = ['eval/1', 'eval/2', 'eval/3'] as const satisfies readonly (keyof FactsOf)[];
