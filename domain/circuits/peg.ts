import { CIRCUIT } from '../limits.ts';

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
