import type { PegFacts } from '../../circuits/circuit.ts';
import type { BarSize } from '../../market/bars.ts';
import type { NamesOf } from '../../market/market-data.ts';

/** What every method reports of the path. Times are RFC 3339; returns are fractions (0.01 = 1 %). */
export interface PathFacts {
  readonly source: string;
  /** How the source named the security; absent where it has bars by its key, and in outcomes of earlier releases. */
  readonly names?: NamesOf | undefined;
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
