import type { Direction } from '../../decisions/call.ts';
import { type Millis, rfc3339 } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import type { Path, PriceEvent } from './path.ts';
import type { Excursion } from './path-facts.ts';

/** The best and the worst price for a decision between entry and exit (evaluation.md section 5), adjusted. */
export function excursions(
  direction: Direction,
  path: Path,
): { readonly mfe: Excursion | null; readonly mae: Excursion } {
  const moves = movesOf(path);
  const ups = moves.map(({ ts, high }) => ({ ts, value: high }));
  const downs = moves.map(({ ts, low }) => ({ ts, value: low }));
  if (direction === 'neutral') {
    const sizes = [...ups, ...downs].map(({ ts, value }) => ({ ts, value: 0 - Math.abs(value) }));
    return { mfe: null, mae: lowest(sizes) };
  }
  return direction === 'bullish'
    ? { mfe: opposite(lowest(ups.map(negated))), mae: lowest(downs) }
    : { mfe: opposite(lowest(downs)), mae: lowest(ups.map(negated)) };
}

/**
 * The share of path bars that closed in favour of the decision; `sigmaH` sizes the band of a neutral one. Null without
 * bars.
 */
export function fractionInFavour(direction: Direction, { entry, bars }: Path, sigmaH: number): number | null {
  if (bars.length === 0) return null;
  const favoured = bars.filter((bar) => {
    const move = Math.log((bar.close * bar.total) / adjusted(entry));
    if (direction === 'neutral') return Math.abs(move) <= GRADING.signedQuartile * sigmaH;
    return direction === 'bullish' ? move > 0 : move < 0;
  });
  return favoured.length / bars.length;
}

/** The root of the summed squared log returns from the entry over every close to the exit. */
export function realisedVolatility({ entry, exit, bars }: Path): number {
  const prices = [adjusted(entry), ...bars.map(({ close, total }) => close * total), adjusted(exit)];
  const squares = prices.slice(1).map((price, i) => Math.log(price / (prices[i] ?? price)) ** 2);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0));
}

/** An event's price in the units of the newest bar. */
export function adjusted({ price, bar }: PriceEvent): number {
  return price * bar.total;
}

interface Move {
  readonly ts: Millis;
  readonly high: number;
  readonly low: number;
}

/** Highs and lows relative to the entry. The entry and the exit belong to the path even when their bars do not. */
function movesOf({ entry, exit, bars }: Path): readonly Move[] {
  const base = adjusted(entry);
  const last = adjusted(exit) / base - 1;
  return [
    { ts: entry.ts, high: 0, low: 0 },
    ...bars.map(({ end, high, low, total }) => ({
      ts: end,
      high: (high * total) / base - 1,
      low: (low * total) / base - 1,
    })),
    { ts: exit.ts, high: last, low: last },
  ];
}

interface Value {
  readonly ts: Millis;
  readonly value: number;
}

/** The lowest value, the earliest of equals. */
function lowest(values: readonly Value[]): Excursion {
  const found = values.reduce((low, next) => (next.value < low.value ? next : low));
  return { time: rfc3339(found.ts), value: found.value };
}

function negated({ ts, value }: Value): Value {
  return { ts, value: 0 - value };
}

function opposite({ time, value }: Excursion): Excursion {
  return { time, value: 0 - value };
}
