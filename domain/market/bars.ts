import { DAY, HOUR, MINUTE, type Millis } from '../time.ts';
import type { Calendar, Segment, TradingSession } from './calendar.ts';
import { openTime } from './open-time.ts';

const LENGTHS: Readonly<Record<BarSize, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY };

/** The bar sizes a source may have, finest first (evaluation.md section 2). */
export const BAR_SIZES = ['1m', '5m', '1h', '1d'] as const;
export type BarSize = (typeof BAR_SIZES)[number];

/**
 * One bar of an instrument as it was traded, clipped to the session, half-open [start, end).
 * Prices are raw. `split` and `total` are the factors that bring a raw price of this bar into the units of the
 * newest bar of the series: raw x split is split-adjusted, raw x total is split- and dividend-adjusted.
 */
export interface Bar {
  readonly start: Millis;
  readonly end: Millis;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** null where the source has no volume at all; 0 where nothing traded. */
  readonly volume: number | null;
  readonly split: number;
  readonly total: number;
}

/** A bar of a file to import: raw, cut to its session, without the factors of a series. */
export interface RawBar extends Omit<Bar, 'split' | 'total'> {
  readonly adj_close: number | null;
}

type TradedPrices = Pick<Bar, 'volume' | 'open' | 'high' | 'low' | 'close'>;

/** Whether nothing traded in a bar: its volume is 0, and it has one price (evaluation-2.md section 1). */
export function isUntraded({ volume, open, high, low, close }: TradedPrices): boolean {
  return volume === 0 && open === high && low === close && high === low;
}

/** Whether the source knows the volume of an instrument: one of its daily bars has some. */
export function hasVolume(daily: readonly Pick<Bar, 'volume'>[]): boolean {
  return daily.some(({ volume }) => volume !== null && volume > 0);
}

/** The bars whose prices are trades. Where the volume is unknown, every bar counts as traded. */
export function tradedBars<B extends TradedPrices>(bars: readonly B[], volumeIsKnown: boolean): readonly B[] {
  return volumeIsKnown ? bars.filter((bar) => !isUntraded(bar)) : bars;
}

/** Whether a bar opens at the close of an earlier one, splits aside: some sources carry prices through a silence. */
export function repeatsClose(bar: Bar, before: Bar): boolean {
  return bar.open * bar.split === before.close * before.split;
}

/** The nominal length of a bar; sessions shorten it, down to the session itself for a stock's daily bar. */
export function lengthOf(size: BarSize): Millis {
  return LENGTHS[size];
}

/** The sizes that a source has in the order of preference: the wanted one, coarser ones, then finer ones. */
export function sizesInOrder(wanted: BarSize, available: readonly BarSize[]): readonly BarSize[] {
  const at = BAR_SIZES.indexOf(wanted);
  const order = [...BAR_SIZES.slice(at), ...BAR_SIZES.slice(0, at).reverse()];
  return order.filter((size) => available.includes(size));
}

// The start and end times of the bars of a size when none is missing: counted from the open of each segment, cut at its
// close. A day's bar spans the whole session, lunch included.

/** Whether a window holds two event times of the bar size with market-open time between them (evaluation.md section 2). */
export function isResolved(calendar: Calendar, size: BarSize, from: Millis, to: Millis): boolean {
  return openTime(calendar, firstEvent(calendar, size, from), lastEvent(calendar, size, to)) > 0;
}

/** The first start or end of a bar at or after an instant. */
export function firstEvent(calendar: Calendar, size: BarSize, at: Millis): Millis {
  // A close at the instant itself counts, so look from just before it.
  const session = calendar.currentOrNext(at - 1);
  const segment = segmentsOf(session, size).find(({ close }) => close >= at);
  if (!segment) return session.close;
  const bars = Math.ceil((at - segment.open) / lengthOf(size));
  return Math.min(segment.close, segment.open + Math.max(0, bars) * lengthOf(size));
}

/** The last start or end of a bar at or before an instant. */
export function lastEvent(calendar: Calendar, size: BarSize, at: Millis): Millis {
  const current = calendar.currentOrNext(at);
  const session = current.open <= at ? current : calendar.nthBefore(at, 1);
  const segment = segmentsOf(session, size).findLast(({ open }) => open <= at);
  if (!segment) return session.open;
  const bars = Math.floor((at - segment.open) / lengthOf(size));
  return at >= segment.close ? segment.close : segment.open + bars * lengthOf(size);
}

/** How many bars the calendar expects whole within [from, to]. */
export function barsExpected(calendar: Calendar, size: BarSize, from: Millis, to: Millis): number {
  return calendar.sessions(from, to).reduce((sum, session) => sum + barsWithin(session, size, from, to), 0);
}

/** How many bars of a session lie within [from, to]. */
export function barsWithin(session: TradingSession, size: BarSize, from: Millis, to: Millis): number {
  return segmentsOf(session, size).reduce((sum, segment) => sum + barsOfSegment(segment, lengthOf(size), from, to), 0);
}

function segmentsOf(session: TradingSession, size: BarSize): readonly Segment[] {
  return size === '1d' ? [session] : session.segments;
}

function barsOfSegment({ open, close }: Segment, length: Millis, from: Millis, to: Millis): number {
  const first = Math.max(0, Math.ceil((from - open) / length));
  const end = to >= close ? Math.ceil((close - open) / length) : Math.floor((to - open) / length);
  return Math.max(0, end - first);
}

/** The same as Map.groupBy, which the verifier does not have: it runs on Node.js 20, too. */
export function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
