import { firstIndex } from '../../market/adjustment.ts';
import { type Bar, type BarSize, isUntraded } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { openTime } from '../../market/open-time.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import { tradeDeadline } from '../windows/window.ts';
import type { Path } from './path.ts';
import type { PlanBar } from './plan-touches.ts';
import { judgePrices, type Price, plausibleBar, pricesOf } from './stray-prices.ts';
import { spansEnough } from './traded-path.ts';

/** A window on bars of one size, with the bars that traded apart from all that there are. */
export interface JudgedWindow {
  readonly size: BarSize;
  readonly anchor: Millis;
  /** The end of the window, or of trading. */
  readonly until: Millis;
  /** The bars that the calendar expects whole in the window. */
  readonly fit: number;
  /** Ascending, from before the anchor to after the end. */
  readonly bars: readonly Bar[];
  readonly traded: readonly Bar[];
  /** The last traded bar of any size before all of these; undefined where it is not known. */
  readonly before: Bar | undefined;
}

/** The prices of a window and around it, judged (evaluation-3.md section 2). */
export interface JudgedPrices {
  /** Those that stay, in their order. */
  readonly staying: readonly Price[];
  /** The stray ones of the window. */
  readonly stray: readonly Price[];
  /** A run that has not ended and began within the window. */
  readonly open: readonly Price[] | null;
}

/** Judges the prices from three traded bars and 15 minutes before the last one before the anchor on. */
export function judgeWindow(calendar: Calendar, window: JudgedWindow): JudgedPrices {
  const { size, anchor, until, bars, traded, before } = window;
  const first = firstJudged(calendar, traded, anchor);
  const start = traded[first]?.start ?? anchor;
  const any = bars[firstIndex(bars, ({ end }) => end > start) - 1];
  const known = { traded: traded[first - 1] ?? before, any };
  const own = pricesOf(calendar, size, traded.slice(first), known);
  const prices = first === 0 && before ? [lastPriceOf(before), ...own] : own;
  const { stray, open } = judgePrices(calendar, prices);
  const inWindow = ({ bar }: Price) => bar.start >= anchor && bar.end <= until;
  return {
    staying: stray.size === 0 ? prices : prices.filter((price) => !stray.has(price)),
    stray: [...stray].filter(inWindow),
    open: open?.[0] && open[0].ts <= until ? open : null,
  };
}

/** The index of the first bar whose prices are judged. */
function firstJudged(calendar: Calendar, traded: readonly Bar[], anchor: Millis): number {
  const { bars, time } = GRADING.judged;
  const last = firstIndex(traded, ({ start }) => start >= anchor) - 1;
  let first = Math.max(0, last - bars);
  const end = Math.min(traded[last]?.end ?? anchor, anchor);
  while (first > 0 && openTime(calendar, traded[first]?.start ?? end, end) < time) first -= 1;
  return first;
}

function lastPriceOf(bar: Bar): Price {
  return { at: 'close', ts: bar.end, price: bar.close, bar, value: bar.close * bar.total };
}

/** A path of prices that stay. */
export interface PricePath extends Path {
  /** Those from the entry to the exit. */
  readonly prices: readonly Price[];
  readonly planBars: readonly PlanBar[];
}

/**
 * The path from the first price that stays and that is known to be from after the anchor, to the last one before the end;
 * null when there are too few of them (evaluation-2.md section 1).
 */
export function pricePath(calendar: Calendar, window: JudgedWindow, staying: readonly Price[]): PricePath | null {
  const { size, anchor, until, fit } = window;
  const first = staying.findIndex(({ bar }) => bar.start >= anchor);
  const entry = staying[first];
  if (!entry || entry.ts > tradeDeadline(calendar, size, anchor)) return null;
  const last = staying.findLastIndex(({ bar }) => bar.end <= until);
  const exit = staying[last];
  if (!exit || exit.ts <= entry.ts) return null;
  const planBars = pathBars(window, staying, { entry, last });
  const bars = planBars.map(({ bar }) => bar);
  const [only] = bars;
  if (!only || bars.length < Math.min(GRADING.barsOfPath, fit)) return null;
  if (bars.length === 1 && only.high <= only.low) return null;
  if (!spansEnough(calendar, window, entry, exit)) return null;
  return { entry, exit, bars, planBars, prices: staying.slice(first, last + 1) };
}

/** The bars from the entry on that have a price that stays, as those prices and the ones around them allow. */
function pathBars(
  { until }: JudgedWindow,
  staying: readonly Price[],
  { entry, last }: { readonly entry: Price; readonly last: number },
): readonly PlanBar[] {
  const found: PlanBar[] = [];
  for (let i = staying.indexOf(entry); i <= last; i += 1) {
    const price = staying[i];
    if (!price || price.bar.start < entry.ts || price.bar.end > until) continue;
    const next = staying[i + 1];
    const own = next?.bar === price.bar ? [price, next] : [price];
    const near = [staying[i - 1], staying[i + own.length]];
    found.push({ bar: plausibleBar(price.bar, own, near), opens: price.at === 'open' });
    i += own.length - 1;
  }
  return found;
}

/** Whether the bars hold a trade that ended by an instant. */
export function hasTradeBefore(bars: readonly Bar[], volumeIsKnown: boolean, at: Millis): boolean {
  return bars.some((bar) => bar.end <= at && !(volumeIsKnown && isUntraded(bar)));
}
