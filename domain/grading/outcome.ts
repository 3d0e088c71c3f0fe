import type { PegFacts } from '../circuits/isolation.ts';
import type { Bar, BarSize } from '../market/bars.ts';
import type { Regime } from './regime.ts';

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

/** The facts of evaluation.md section 5 that anyone may see. */
export interface OutcomeFacts extends PathFacts {
  readonly method: 'eval/1';
}

/** What every method reports of the path. Times are RFC 3339; returns are fractions (0.01 = 1 %). */
export interface PathFacts {
  readonly source: string;
  readonly bar_size: BarSize;
  readonly entry: PricePoint;
  readonly exit: PricePoint;
  /** Exit over entry minus one, on split- and dividend-adjusted prices, whatever the direction. */
  readonly raw_return: number;
  /** The same, signed by the direction; null for a neutral decision. */
  readonly directional_return: number | null;
  /** Volatility of one day, before the anchor. */
  readonly sigma_d: number;
  /** Days, or sessions, between entry and exit; in eval/2 a session is divided into its night and its day. */
  readonly tau: number;
  /** The log return in sigmas of the window: signed by the direction, or its size for a neutral decision. */
  readonly z: number;
  /** Largest favourable excursion, never negative; null for a neutral decision, which no move favours. */
  readonly mfe: Excursion | null;
  /** Largest adverse excursion, never positive; for a neutral decision the largest move either way. */
  readonly mae: Excursion;
  /** The share of path bars that closed in favour (neutral: within the band that counts as correct); null without bars. */
  readonly fraction_in_favour: number | null;
  /** Root of the summed squared log returns from bar to bar, of the whole path. */
  readonly realised_volatility: number;
  readonly coverage: Coverage;
  /** The last price before a halt is used for at least one session. */
  readonly halted: boolean;
  /** The exit is the last print of an instrument that was delisted within the window. */
  readonly delisted_exit: boolean;
  /** Present when the quote currency is a stablecoin whose circuit was not normal throughout the window. */
  readonly peg?: PegFacts;
}

export interface PricePoint {
  readonly time: string;
  /** As it was traded. */
  readonly price: number;
  /** Split- and dividend-adjusted, in units of the exit. */
  readonly adjusted_price: number;
}

export interface Excursion {
  /** The end of the bar that contains it. */
  readonly time: string;
  /** Relative to the entry, signed by the direction. */
  readonly value: number;
}

export interface Coverage {
  readonly bars_expected: number;
  readonly bars_observed: number;
  /** Minutes without trades, and sessions that a halt was carried through. */
  readonly bars_carried: number;
  /** (observed + carried) / expected, at most 1. */
  readonly ratio: number;
}

/** Facts that only the owner sees, because they derive from fields that only the owner sees. */
export interface OwnerFacts {
  /** null when the decision names no level. */
  readonly levels: LevelFacts | null;
  /** null when the decision names no reference price, or there is no bar for it. */
  readonly reference_price: ReferencePriceFact | null;
  /** Whether the data end before the model's knowledge does; null when the decision does not say. */
  readonly knowledge_overlap: boolean | null;
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
