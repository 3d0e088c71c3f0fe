import { type Bar, type BarSize, repeatsClose } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { KnownActions } from '../../market/market-data.ts';
import { openTime } from '../../market/open-time.ts';
import { DAY, type Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import type { PriceEvent } from './path.ts';
import { follows } from './traded-path.ts';

/** The open or the close of a traded bar (evaluation-3.md section 1). */
export interface Price extends PriceEvent {
  readonly at: 'open' | 'close';
  /** Split- and dividend-adjusted, in the units of the newest bar. */
  readonly value: number;
}

/** What is known of the time before the first bar of a stretch: the last bar that traded, or only the last one at all. */
interface PricesBefore {
  readonly traded: Bar | undefined;
  readonly any: Bar | undefined;
}

/**
 * The prices of traded bars, in their order. An open that may have been carried from an earlier trade is none
 * (evaluation-2.md section 1): one that repeats the last close after a silence, or that follows nothing known.
 */
export function pricesOf(
  calendar: Calendar,
  size: BarSize,
  traded: readonly Bar[],
  { traded: earlier, any }: PricesBefore,
): readonly Price[] {
  const prices: Price[] = [];
  let before = earlier;
  for (const bar of traded) {
    if (!mayBeCarried(calendar, size, bar, { traded: before, any }))
      prices.push({ ts: bar.start, price: bar.open, bar, at: 'open', value: bar.open * bar.total });
    prices.push({ ts: bar.end, price: bar.close, bar, at: 'close', value: bar.close * bar.total });
    before = bar;
  }
  return prices;
}

/** Whether an open may be the price of a trade before its bar. */
function mayBeCarried(calendar: Calendar, size: BarSize, bar: Bar, { traded, any }: PricesBefore): boolean {
  const carrier = traded ?? any;
  if (carrier && !repeatsClose(bar, carrier)) return false;
  return !(traded && follows(calendar, size, traded, bar));
}

/** The factor between two prices: the larger over the smaller. */
export function factorOf(a: number, b: number): number {
  return a > b ? a / b : b / a;
}

/** Prices that nobody could trade at again, and one about which nothing can be said yet. */
interface FoundRuns {
  readonly stray: ReadonlySet<Price>;
  /** The first run that has not ended, and may still turn out to be stray; its prices stand. */
  readonly open: readonly Price[] | null;
}

/**
 * Finds the stray prices of a stretch (evaluation-3.md section 2), from the left; the first one stays. A run ends with
 * the first price that is near the price before it. It is stray when that price comes back sharply, and close to where
 * it was, and the run is short.
 */
export function judgePrices(calendar: Calendar, prices: readonly Price[]): FoundRuns {
  const stray = new Set<Price>();
  const apart = GRADING.stray.apart[calendar.continuous ? 'continuous' : 'sessions'];
  let open: readonly Price[] | null = null;
  let [last] = prices;
  for (let i = 1; i < prices.length; i += 1) {
    const price = prices[i];
    if (!price || !last) break;
    if (factorOf(price.value, last.value) > apart) {
      const run = runFrom(calendar, prices, { first: i, last, apart });
      if (run.kind === 'open') open ??= prices.slice(i);
      if (run.kind === 'stray') {
        for (const each of prices.slice(i, run.end)) stray.add(each);
        i = run.end;
      }
    }
    last = prices[i];
  }
  return { stray, open };
}

/** A run from its first price on; `end` is the index of the first price after it. */
type Run = { readonly kind: 'open' | 'lasting' } | { readonly kind: 'stray'; readonly end: number };

function runFrom(
  calendar: Calendar,
  prices: readonly Price[],
  { first, last, apart }: { readonly first: number; readonly last: Price; readonly apart: number },
): Run {
  const start = prices[first];
  if (!start) return { kind: 'open' };
  let isFar = true;
  for (let i = first; i < prices.length; i += 1) {
    const [price, before] = [prices[i], prices[i - 1]];
    if (!price || !before) break;
    const distance = factorOf(price.value, last.value);
    if (distance <= apart) {
      const isSharp = factorOf(price.value, before.value) > apart;
      const isBack = distance <= factorOf(start.value, last.value) ** 0.25;
      return isSharp && isBack ? { kind: 'stray', end: i } : { kind: 'lasting' };
    }
    isFar &&= distance > GRADING.stray.far;
    if (!isShort(calendar, i - first + 1, { start, price, isFar })) return { kind: 'lasting' };
  }
  return { kind: 'open' };
}

/** Whether a run from `start` to `price`, of so many prices, is short enough to be stray. */
function isShort(
  calendar: Calendar,
  count: number,
  { start, price, isFar }: { readonly start: Price; readonly price: Price; readonly isFar: boolean },
): boolean {
  const { prices, time, sessions } = GRADING.stray;
  if (count <= prices || openTime(calendar, start.ts, price.ts) <= time) return true;
  if (!isFar) return false;
  if (calendar.continuous) return price.ts - start.ts <= sessions * DAY;
  return calendar.sessions(start.bar.start, price.bar.start + 1).length <= sessions;
}

/**
 * A bar as its own prices and those around it allow (evaluation-3.md section 2): a high or low that is one of its stray
 * prices, or more than twice beyond all that stay, is replaced by the largest or smallest of these; its close is its last
 * price that stays.
 * @param own the prices of the bar that stay
 * @param near the prices before and after them that stay
 */
export function plausibleBar(bar: Bar, own: readonly Price[], near: readonly (Price | undefined)[]): Bar {
  if (own.length === 2 && isOrdinary(bar)) return bar;
  const close = own.at(-1)?.price ?? bar.close;
  const values = [...own, ...near].flatMap((price) => (price ? [price.value / bar.total] : []));
  const [top, bottom] = [Math.max(...values), Math.min(...values)];
  const lost = [bar.open, bar.close].filter((price) => own.every((each) => each.price !== price));
  const isWild = (extreme: number, beyond: number) => beyond > GRADING.wildExtreme || lost.includes(extreme);
  const high = bar.high > top && isWild(bar.high, bar.high / top) ? top : bar.high;
  const low = bar.low < bottom && isWild(bar.low, bottom / bar.low) ? bottom : bar.low;
  return close === bar.close && high === bar.high && low === bar.low ? bar : { ...bar, close, high, low };
}

/** Whether a bar does not go beyond its own prices by more than any bar may. */
function isOrdinary({ open, high, low, close }: Bar): boolean {
  const { wildExtreme } = GRADING;
  return high <= wildExtreme * Math.max(open, close) && low * wildExtreme >= Math.min(open, close);
}

/** Two neighbouring prices with a night between them that no action explains. */
export interface NightLeap {
  readonly before: Price;
  readonly after: Price;
  /** The new price over the old one, adjusted. */
  readonly ratio: number;
  /** The dates of the sessions that open between them. */
  readonly dates: readonly string[];
  readonly isReal: boolean;
}

/** Every night leap between neighbours of a sequence of prices that stay (evaluation-3.md section 3). */
export function nightLeaps(calendar: Calendar, prices: readonly Price[], known: KnownActions): readonly NightLeap[] {
  const leaps: NightLeap[] = [];
  for (let i = 1; i < prices.length; i += 1) {
    const [before, after] = [prices[i - 1], prices[i]];
    if (before && after && isFarApart(calendar, before, after))
      leaps.push(...leapBetween(calendar, before, after, known));
  }
  return leaps;
}

function leapBetween(calendar: Calendar, before: Price, after: Price, known: KnownActions): readonly NightLeap[] {
  const dates = datesBetween(calendar, before.ts, after.ts);
  if (calendar.continuous ? before.bar === after.bar : dates.length === 0) return [];
  const ratio = after.value / before.value;
  return [{ before, after, ratio, dates, isReal: isExplained(calendar, ratio, dates, known) }];
}

function isFarApart({ continuous }: Calendar, before: Price, after: Price): boolean {
  const { continuous: anywhere, sessions } = GRADING.nightLeap;
  return factorOf(before.value, after.value) > (continuous ? anywhere : sessions);
}

/** The dates of the sessions that open after one instant and up to another; of the days that these touch, without sessions. */
function datesBetween(calendar: Calendar, from: Millis, to: Millis): readonly string[] {
  const sessions = calendar.sessions(from, to + 1);
  return sessions.filter(({ open }) => calendar.continuous || open > from).map(({ date }) => date);
}

function isExplained(
  { continuous }: Calendar,
  ratio: number,
  dates: readonly string[],
  { lists, none }: KnownActions,
): boolean {
  if (dates.some((date) => none.includes(date))) return true;
  if (continuous || factorOf(ratio, 1) > GRADING.nightLeap.listed) return false;
  return dates.every((date) => lists.some(({ from, until }) => from <= date && date <= until));
}
