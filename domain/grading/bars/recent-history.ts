import { firstIndex } from '../../market/adjustment.ts';
import { type Bar, hasVolume, repeatsClose, tradedBars } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { DAY, type Millis } from '../../time.ts';
import { type Unavailable, unavailable } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';
import { believedBars } from '../paths/believed-actions.ts';
import { factorOf, judgePrices, type Price, pricesOf } from '../paths/stray-prices.ts';
import { type Neighbours, neighbours } from '../paths/volatility.ts';
import { measuredReturns, type ReturnMeasures } from './history.ts';

/** The days around an anchor, judged (evaluation-3.md sections 2 to 5). */
export interface JudgedDays {
  /** Whether a volume of 0 means that nothing traded. */
  readonly volumeIsKnown: boolean;
  /** Those that ended at or before the anchor, without those whose close is stray: the regime is measured by them. */
  readonly closed: readonly Bar[];
  /** The stray prices up to the anchor. */
  readonly stray: readonly Price[];
  /** A run that has not ended and began up to the anchor. */
  readonly open: readonly Price[] | null;
  /** The last day that traded and whose close stays. */
  readonly lastDay: Bar | undefined;
  /** The usable pairs of neighbouring days, at most 20. */
  readonly pairs: readonly Neighbours[];
}

/** What those days say about a move. */
export interface RecentHistory extends ReturnMeasures {
  /** The date of the oldest day of the returns. */
  readonly from: string;
}

/**
 * Judges the days before an anchor, with those up to two sessions after it.
 * @param daily ascending, final
 * @param listed_on the date of the listing, if it is known
 */
export function judgeDays(
  calendar: Calendar,
  daily: readonly Bar[],
  anchor: Millis,
  listed_on: string | null,
): JudgedDays {
  const closed = endedBy(daily, anchor);
  const volumeIsKnown = hasVolume(closed);
  const all = endedBy(daily, sessionsAfter(calendar, anchor));
  const { bars, traded, contradicted } = believedBars(calendar, {
    ...{ size: '1d', bars: all },
    traded: tradedBars(all, volumeIsKnown),
  });
  const first = firstOfSeason(calendar, traded, anchor, listed_on);
  const judged = traded.slice(first);
  const before = { traded: traded[first - 1], any: undefined };
  const prices = pricesOf(calendar, '1d', judged, before);
  const { stray, open } = judgePrices(calendar, prices);
  const left = [...stray].filter(({ bar }) => bar.end <= anchor);
  const strayDays = new Set(left.map(({ bar }) => bar.start));
  const strayCloses = new Set(left.filter(({ at }) => at === 'close').map(({ ts }) => ts));
  const ended = endedBy(judged, anchor);
  return {
    volumeIsKnown,
    closed:
      strayCloses.size === 0 ? endedBy(bars, anchor) : endedBy(bars, anchor).filter(({ end }) => !strayCloses.has(end)),
    stray: left,
    open: open?.[0] && open[0].bar.end <= anchor ? open : null,
    lastDay: ended.findLast(({ end }) => !strayCloses.has(end)),
    pairs: usablePairs(
      calendar,
      ended.filter(({ start }) => !strayDays.has(start)),
      contradicted,
    ),
  };
}

/** The bars that ended at or before an instant, of ascending ones. */
function endedBy(bars: readonly Bar[], at: Millis): readonly Bar[] {
  return bars.slice(
    0,
    firstIndex(bars, ({ end }) => end > at),
  );
}

/** The end of the second session after an instant. */
export function sessionsAfter(calendar: Calendar, at: Millis): Millis {
  const { sessions } = GRADING.stray;
  return calendar.continuous ? at + sessions * DAY : calendar.nthFrom(at, sessions).close;
}

/** What the usable pairs measure; or why nothing can be graded by them: there are fewer than 10, or they are too small. */
export function recentHistory(calendar: Calendar, { pairs }: JudgedDays): RecentHistory | Unavailable {
  const [oldest] = pairs;
  if (!oldest || pairs.length < GRADING.fewestReturns) {
    const { sessions } = GRADING.history;
    return unavailable('insufficient_history', `Fewer than ten usable returns in the ${sessions} sessions before.`);
  }
  const measured = measuredReturns(calendar, pairs);
  return 'kind' in measured ? measured : { ...measured, from: calendar.currentOrNext(oldest.before.start).date };
}

/** The first traded day within 60 sessions, not before the listing, after which no more than five sessions are silent. */
function firstOfSeason(calendar: Calendar, traded: readonly Bar[], anchor: Millis, listed_on: string | null): number {
  const { sessions } = GRADING.history;
  const listed = listed_on === null ? Number.NEGATIVE_INFINITY : Date.parse(listed_on);
  const from = Math.max(calendar.nthBefore(anchor, sessions).open, listed);
  const [first, end] = [
    firstIndex(traded, ({ start }) => start >= from),
    firstIndex(traded, (bar) => bar.end > anchor),
  ];
  let next = anchor;
  for (let i = end - 1; i >= first; i -= 1) {
    const bar = traded[i];
    if (!bar || isSilent(calendar, bar.end, next)) return i + 1;
    next = bar.start;
  }
  return first;
}

/** Whether more than five whole sessions are between two instants. */
function isSilent(calendar: Calendar, from: Millis, to: Millis): boolean {
  const { gap } = GRADING.history;
  if (to - from < gap * DAY) return false;
  return calendar.sessions(from, to).filter(({ open, close }) => open >= from && close <= to).length > gap;
}

/** From the last one back, since few are needed. */
function usablePairs(
  calendar: Calendar,
  days: readonly Bar[],
  contradicted: ReadonlySet<Millis>,
): readonly Neighbours[] {
  const usable: Neighbours[] = [];
  const isContradicted = ({ bar }: Neighbours) =>
    contradicted.size > 0 && contradicted.has(calendar.currentOrNext(bar.start).open);
  for (let end = days.length; end > 1 && usable.length < GRADING.returns; end -= 1) {
    const [pair] = neighbours(calendar, days.slice(end - 2, end));
    if (pair && isNormal(calendar, pair) && !isContradicted(pair)) usable.push(pair);
  }
  return usable.reverse();
}

/** No leap measures normal days. An open that repeats the close before says nothing about the night: then the close does. */
function isNormal(calendar: Calendar, { before, bar }: Neighbours): boolean {
  const { continuous, sessions } = GRADING.nightLeap;
  const next = repeatsClose(bar, before) ? bar.close : bar.open;
  const closed = before.close * before.total;
  const night = factorOf(closed, next * bar.total);
  const day = factorOf(closed, bar.close * bar.total);
  return night <= (calendar.continuous ? continuous : sessions) && day <= GRADING.historyLeap;
}
