import { type Bar, hasVolume, tradedBars } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import type { Millis } from '../../time.ts';
import { type Unavailable, unavailable } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';
import { isLikelySplit } from '../paths/suspected-splits.ts';
import { closedBy, type Neighbours, neighbours, nightShare, returnOf, sumOfSquares } from '../paths/volatility.ts';

/**
 * An instrument must have traded by this instant for a record anchored at `anchor` to have the fewest daily returns
 * that volatility needs (evaluation.md section 3).
 */
export function historyNeededFrom(instrument: Instrument, anchor: Millis): Millis {
  return calendarOf(instrument).nthBefore(anchor, GRADING.fewestReturns + 1).open;
}

/** What returns between days say about a move (evaluation-2.md sections 1, 2 and 6). */
export interface ReturnMeasures {
  /** Volatility of one day: a fraction. */
  readonly sigma_d: number;
  /** The share of nights in its square; null where trading never stops. */
  readonly omega: number | null;
  /** The share of opens that repeat the close before, where the venue has sessions; else 0. */
  readonly carriedOpens: number;
  /** The bars of the returns, ascending. */
  readonly bars: readonly Bar[];
}

interface TradedHistory extends ReturnMeasures {
  /** Whether a volume of 0 means that nothing traded. */
  readonly volumeIsKnown: boolean;
  /** The last day that traded. */
  readonly lastDay: Bar | undefined;
}

/**
 * The last 20 returns between traded daily bars that ended at or before an instant, without pairs that look like a
 * split; or why they cannot be graded by: there are fewer than 10, or they are too small. `daily` ascends.
 */
export function tradedHistory(calendar: Calendar, daily: readonly Bar[], at: Millis): TradedHistory | Unavailable {
  const closed = closedBy(daily, at);
  const volumeIsKnown = hasVolume(closed);
  const traded = tradedBars(closed, volumeIsKnown);
  const returns = usableReturns(calendar, traded);
  if (returns.length < GRADING.fewestReturns) {
    return unavailable('insufficient_history', 'Fewer than ten daily returns before the anchor.');
  }
  const measured = measuredReturns(calendar, returns);
  return 'kind' in measured ? measured : { volumeIsKnown, ...measured, lastDay: traded.at(-1) };
}

/** What at least ten returns measure, or that they are too small. */
export function measuredReturns(calendar: Calendar, returns: readonly Neighbours[]): ReturnMeasures | Unavailable {
  const sigma_d = Math.sqrt(sumOfSquares(returns.map(returnOf)) / returns.length);
  const omega = nightShare(calendar, returns);
  const least = leastPart(calendar, sigma_d, omega);
  if (least < GRADING.leastSigma) {
    return unavailable(
      'below_resolution',
      `The daily volatility, ${least.toFixed(6)}, is below ${GRADING.leastSigma}.`,
    );
  }
  const carriedOpens = calendar.continuous ? 0 : carriedShare(returns);
  const bars = [...new Set(returns.flatMap(({ before, bar }) => [before, bar]))];
  return { sigma_d, omega, carriedOpens, bars };
}

/** The share of daily opens that are equal to the close of the session before, raw; 0 without any pair. */
export function carriedShare(pairs: readonly Neighbours<Pick<Bar, 'open' | 'close'>>[]): number {
  const carried = pairs.filter(({ before, bar }) => bar.open === before.close);
  return pairs.length === 0 ? 0 : carried.length / pairs.length;
}

/** Bars in a row that only repeat the close before them, and count as trades because no volume says otherwise. */
export interface FlatRun {
  readonly bars: number;
  readonly price: number;
  /** The start of the first one. */
  readonly from: Millis;
}

/** The longest run of bars that repeat one price and count as traded, ascending; null where there is none. */
export function longestFlatRun(bars: readonly Pick<Bar, 'start' | 'volume' | Prices>[]): FlatRun | null {
  const runs: { bars: number; readonly price: number; readonly from: Millis }[] = [];
  let before: number | undefined;
  let isInRun = false;
  for (const { open, high, low, close, volume, start } of tradedBars(bars, hasVolume(bars))) {
    const repeats = (volume ?? 0) === 0 && [open, high, low, close].every((price) => price === before);
    const run = isInRun ? runs.at(-1) : undefined;
    if (repeats && run) run.bars += 1;
    else if (repeats) runs.push({ bars: 1, price: close, from: start });
    isInRun = repeats;
    before = close;
  }
  return runs.toSorted((a, b) => b.bars - a.bars)[0] ?? null;
}

type Prices = 'open' | 'high' | 'low' | 'close';

/**
 * The share of sessions that open at the close of the session before, raw, in bars of any size, ascending; null where
 * there is no such pair, and where trading never stops.
 */
export function carriedNights(
  calendar: Calendar,
  bars: readonly Pick<Bar, 'start' | 'end' | 'open' | 'high' | 'low' | 'close' | 'volume'>[],
): number | null {
  if (calendar.continuous) return null;
  const pairs = neighbours(calendar, tradedBars(bars, hasVolume(bars)));
  const nights = pairs.filter(({ before, bar }) => isOfNextSession(calendar, before, bar));
  return nights.length === 0 ? null : carriedShare(nights);
}

function isOfNextSession(
  calendar: Calendar,
  before: Pick<Bar, 'start' | 'end'>,
  { start }: Pick<Bar, 'start'>,
): boolean {
  return before.end < start && calendar.currentOrNext(before.start).open < calendar.currentOrNext(start).open;
}

/** From the last one back, since few are needed. */
function usableReturns(calendar: Calendar, daily: readonly Bar[]): readonly Neighbours[] {
  const usable: Neighbours[] = [];
  for (let end = daily.length; end > 1 && usable.length < GRADING.returns; end -= 1) {
    const [pair] = neighbours(calendar, daily.slice(end - 2, end));
    if (pair && (calendar.continuous || !isLikelySplit(pair))) usable.push(pair);
  }
  return usable.reverse();
}

/** The volatility of a whole day, or that of its session where it has one: a session never has more. */
function leastPart(calendar: Calendar, sigma_d: number, omega: number | null): number {
  if (calendar.continuous) return sigma_d;
  return omega === null ? 0 : sigma_d * Math.sqrt(1 - omega);
}
