import type { Bar } from '../market/bars.ts';
import type { FactsOf, MethodName } from './method-facts.ts';
import type { PathFacts } from './paths/path-facts.ts';
import type { Regime } from './paths/regime.ts';

/** How a decision turned out (interface.md 1). */
export const RESULT_BUCKETS = ['strong_correct', 'weak_correct', 'weak_incorrect', 'strong_incorrect'] as const;
export type ResultBucket = (typeof RESULT_BUCKETS)[number];

/**
 * The result of an evaluation. Public and owner-only facts are separate, so that a public view shows the public ones in
 * full.
 */
export interface Outcome<Facts extends PathFacts = OutcomeFacts> {
  readonly result_bucket: ResultBucket;
  /** At the anchor, frozen; null with too short a history. */
  readonly created_regime: Regime | null;
  readonly facts: Facts;
  readonly owner_facts: OwnerFacts;
  /** The raw bars of the path, owner-only. */
  readonly bars: readonly StoredBar[];
}

/** The facts that anyone may see, by whichever method. */
export type OutcomeFacts = FactsOf[MethodName];

/** Facts that only the owner sees, because they derive from fields that only the owner sees. */
export interface OwnerFacts {
  /** null when the decision names no level. */
  readonly levels: LevelFacts | null;
  /** null when the decision names no reference price, or there is no bar for it. */
  readonly reference_price: ReferencePriceFact | null;
  /** Whether the data end before the model's knowledge does; null when the decision does not say. */
  readonly knowledge_overlap: boolean | null;
  /** By `eval/3`: the prices that were left out because nobody could trade at them again. */
  readonly left_out?: readonly LeftOutPrice[];
}

/** A price of the path or of the daily history, as it was sent. */
export interface LeftOutPrice {
  readonly of: 'path' | 'history';
  readonly at: 'open' | 'close';
  readonly time: string;
  readonly price: number;
}

/** How the path met the levels that the decision named (evaluation.md section 5), in the units of the anchor. */
export interface LevelFacts {
  /** The first target or stop that was touched. */
  readonly first_touch: Touch | null;
  /** Seconds from the entry. */
  readonly time_to_target: number | null;
  readonly time_to_stop: number | null;
  /** The first touch of every level, in order. */
  readonly touches: readonly Touch[];
  /** Levels on the wrong side of the entry, which are not followed. */
  readonly invalid_at_entry: readonly Level[];
  /** By `eval/3`: whether the price reached the entry of the plan; null where the plan names none. */
  readonly entry_reached?: boolean | null;
}

export interface Level {
  readonly kind: 'target' | 'stop' | 'drops_below' | 'rises_above';
  /** As the decision named it. */
  readonly price: number;
}

export interface Touch extends Level {
  /** The start of a bar that opened beyond the level, else the end of the bar that reached it. */
  readonly time: string;
  /** The open of a bar that gapped through the level, else the price of the level. */
  readonly fill_price: number;
  /** A target was within reach of the same bar; it counts as the stop. */
  readonly ambiguous: boolean;
}

/** The agent's price and the bar of its data cutoff; both raw. */
export interface ReferencePriceFact {
  readonly price: number;
  readonly bar: { readonly start: string; readonly end: string; readonly low: number; readonly high: number };
  readonly within_bar: boolean;
}

/** A bar with its times in RFC 3339. */
export interface StoredBar extends Omit<Bar, 'start' | 'end'> {
  readonly start: string;
  readonly end: string;
}
