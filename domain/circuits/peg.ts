import { CIRCUIT } from '../limits.ts';
import { HOUR, MINUTE, type Millis } from '../time.ts';
import type { Coin } from './coin.ts';

/** The last price of a coin in USD that a source knows. */
export interface PegQuote {
  /** The source's name; each source counts once. */
  readonly source: string;
  readonly price: number;
  /** The time of the price, by the source. */
  readonly at: Date;
}

/** A quote as a source sent it. */
export interface RawPegQuote extends Omit<PegQuote, 'at'> {
  /**
   * null for a source that sends no time: the quote then counts as made when it is received, by the clock it is
   * compared with.
   */
  readonly at: Date | null;
}

/** The price of a coin by all fresh sources together (settled.md section 9). */
export interface Peg {
  /** The median of the sources, in USD. */
  readonly price: number;
  /** |price - 1| in basis points. */
  readonly drift_bps: number;
  /** The sources of the median. */
  readonly sources: readonly PegQuote[];
  readonly observed_at: Date;
}

/**
 * The median of the sources that are at most 5 minutes old; null below the quorum of 2. Of several quotes of one source
 * the newest counts. A quote is ignored when its price is not positive, or above the highest plausible one, or when its
 * time lies more than 5 minutes ahead.
 */
export function pegOf(raw: readonly RawPegQuote[], now: Date): Peg | null {
  const quotes = raw.map((quote) => ({ ...quote, at: quote.at ?? now }));
  const sources = onePerSource(quotes.filter((quote) => isFresh(quote, now)));
  if (sources.length < CIRCUIT.quorum) return null;
  const price = median(sources.map((quote) => quote.price));
  return { price, drift_bps: driftOf(price), sources, observed_at: now };
}

function isFresh({ price, at }: PegQuote, now: Date): boolean {
  const age = Math.abs(now.getTime() - at.getTime());
  return price > 0 && price <= CIRCUIT.highestPrice && age <= CIRCUIT.sourceFreshness;
}

function onePerSource(quotes: readonly PegQuote[]): PegQuote[] {
  const newest = new Map<string, PegQuote>();
  for (const quote of quotes) {
    const known = newest.get(quote.source);
    if (!known || quote.at > known.at) newest.set(quote.source, quote);
  }
  return [...newest.values()];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = low] = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return (low + high) / 2;
}

/** To a millionth: 1.005 is 50 bps, and not the 49.999999999999 of floating point. */
function driftOf(price: number): number {
  return Math.round(Math.abs(price - 1) * 1e10) / 1e6;
}

/** The observations of one stretch of a peg's past. */
interface PegStretch {
  /** The stretch begins here. */
  readonly from: Date;
  readonly low: number;
  readonly high: number;
  /** The last price. */
  readonly last: number;
  /** The largest distance from the dollar, in basis points. */
  readonly drift_bps: number;
  readonly observations: number;
}

/** The length of a stretch, so that a path of up to 8 days has at most 288. */
export function pegStretch(hours: number): Millis {
  return Math.ceil((hours * HOUR) / 288 / MINUTE) * MINUTE;
}

/** The path of a peg; a stretch without an observation is left out. @param observations in their order */
export function pegPath(observations: readonly Peg[], step: Millis): readonly PegStretch[] {
  const stretches = Map.groupBy(observations, ({ observed_at }) => Math.floor(observed_at.getTime() / step));
  return [...stretches].map(([index, pegs]) => {
    const prices = pegs.map(({ price }) => price);
    return {
      from: new Date(index * step),
      low: Math.min(...prices),
      high: Math.max(...prices),
      last: prices.at(-1) ?? 0,
      drift_bps: Math.max(...pegs.map(({ drift_bps }) => drift_bps)),
      observations: pegs.length,
    };
  });
}

/** The prices of stablecoins in USD on several exchanges (settled.md section 9). */
export interface PegSource {
  /**
   * The quotes of all exchanges that answer in time; they are asked at once. An exchange that fails, is late or has no
   * market is left out. Never throws; without any answer the list is empty.
   */
  quotes(coin: Coin): Promise<readonly RawPegQuote[]>;
}
