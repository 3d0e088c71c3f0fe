import { DAY, HOUR, MINUTE, type Millis, utcDate } from '../time.ts';
import { type Bar, type BarSize, groupedBy, lengthOf } from './bars.ts';
import type { Calendar, Segment } from './calendar.ts';

type Span = Pick<Bar, 'start' | 'end'>;

/** Rows in their sessions (evaluation-3.md section 9), and how many were left out for which reason. */
interface PlacedRows<Row> {
  readonly rows: readonly Row[];
  /** In no session. */
  readonly outside: number;
  /** They begin before their session and end in it: prices of before the open are in them. */
  readonly before: number;
  /** They begin in a session and end after it, in a file that has rows outside sessions. */
  readonly after: number;
  /** They end after their session, and were cut at its end. */
  readonly cut: number;
}

/**
 * Rows of an intraday file in the sessions of a venue. A row that begins before its session is never cut. One that ends
 * after it is cut only where the file has nothing outside sessions, so that its hours are counted from the open.
 */
export function placeRows<Row extends Span>(calendar: Calendar, rows: readonly Row[]): PlacedRows<Row> {
  if (calendar.continuous) return { rows, outside: 0, before: 0, after: 0, cut: 0 };
  const judged = rows.map((row) => ({ row, ...placeOf(calendar, row) }));
  const count = (place: Place) => judged.filter((each) => each.place === place).length;
  const [outside, before, after] = [count('outside'), count('before'), count('after')];
  const isCut = outside === 0 && before === 0;
  const kept = judged.flatMap(({ row, place, close }) => {
    if (place === 'within') return [row];
    return place === 'after' && isCut ? [{ ...row, end: close }] : [];
  });
  return { rows: kept, outside, before, after: isCut ? 0 : after, cut: isCut ? after : 0 };
}

type Place = 'within' | 'outside' | 'before' | 'after';

function placeOf(calendar: Calendar, { start, end }: Span): { readonly place: Place; readonly close: Millis } {
  const { segments } = calendar.currentOrNext(start);
  const segment = segments.find(({ close }) => close > start);
  if (!segment || end <= segment.open) return { place: 'outside', close: end };
  if (start < segment.open) return { place: 'before', close: end };
  return { place: end <= segment.close ? 'within' : 'after', close: segment.close };
}

/** How many sessions that have rows have none that begins at the open, and none that ends at the close. */
export function barelessEdges(
  calendar: Calendar,
  rows: readonly Span[],
): { readonly opens: number; readonly closes: number } {
  const [first, last] = [rows.at(0), rows.at(-1)];
  if (calendar.continuous || !first || !last) return { opens: 0, closes: 0 };
  const [starts, ends] = [new Set(rows.map(({ start }) => start)), new Set(rows.map(({ end }) => end))];
  const sessions = sessionsWith(calendar, [...starts]);
  return {
    opens: sessions.filter(({ open }) => !starts.has(open)).length,
    closes: sessions.filter(({ close }) => !ends.has(close)).length,
  };
}

/** How many rows are compared with the sessions, evenly over the file. */
const SAMPLE = 2_000;
/** Fewer within sessions than this are doubted; as many must be within them at other times. */
const FITS = 0.95;
const DOUBTED = 0.9;
/** A row of hours on the clock begins half an hour before its session, so a shift of half an hour proves nothing. */
const SHIFTS = Array.from({ length: 57 }, (_, index) => (index - 28) * 30 * MINUTE).filter(
  (by) => Math.abs(by) >= HOUR,
);

/**
 * By how much the times of an intraday file are off, where a tenth of its rows is outside sessions and one shift brings
 * nearly all of them into sessions: they are times of another zone. Summer and winter are judged each by itself, because
 * a zone without summer time is wrong in one of them only. null where they fit, or no shift makes them fit.
 * @param stamp what the times name
 */
export function contradictingZone(calendar: Calendar, times: readonly Millis[], stamp: 'start' | 'end'): Millis | null {
  if (calendar.continuous) return null;
  const every = Math.ceil(times.length / SAMPLE);
  const sample = times.filter((_, index) => index % every === 0).map((at) => (stamp === 'end' ? at - 1 : at));
  const seasons = [...Map.groupBy(sample, (at) => calendar.currentOrNext(at).open % DAY).values()];
  const long = seasons.filter((season) => season.length >= (1 - DOUBTED) * sample.length);
  return long.map((season) => shiftOf(calendar, season)).find((shift) => shift !== null) ?? null;
}

function shiftOf(calendar: Calendar, times: readonly Millis[]): Millis | null {
  const isIn = (at: Millis) => calendar.currentOrNext(at).segments.some(({ open, close }) => open <= at && at < close);
  const share = (by: Millis) => times.filter((at) => isIn(at + by)).length / Math.max(1, times.length);
  if (share(0) >= DOUBTED) return null;
  return SHIFTS.toSorted((a, b) => Math.abs(a) - Math.abs(b)).find((by) => share(by) >= FITS) ?? null;
}

/** No venue of stocks trades so long after its close and so long before its open: the night of extended hours. */
const EXTENDED = { after: 4.5 * HOUR, before: 6 * HOUR };

/** The first of many times that lie in the night of a venue; null where hardly any does. */
export function nightTime(calendar: Calendar, times: readonly Millis[]): Millis | null {
  if (calendar.continuous) return null;
  const every = Math.ceil(times.length / SAMPLE);
  const sample = times.filter((_, index) => index % every === 0);
  const nightly = sample.filter((at) => {
    const next = calendar.currentOrNext(at);
    const { close } = calendar.nthBefore(at, 1);
    return at < next.open - EXTENDED.before && at >= close + EXTENDED.after;
  });
  return nightly.length > FEW * sample.length ? (nightly[0] ?? null) : null;
}

/** By how many days the dates of a daily file are off, in the same way: -1, 1, or null. */
export function contradictingDates(calendar: Calendar, dates: readonly Millis[]): -1 | 1 | null {
  const share = (days: number) =>
    dates.filter((date) => calendar.onDate(utcDate(date + days * DAY))).length / Math.max(1, dates.length);
  if (calendar.continuous || dates.length < 5 || share(0) >= DOUBTED) return null;
  return ([1, -1] as const).find((days) => share(days) >= FITS) ?? null;
}

/** The share of shorter distances above which rows are finer than the size: a last half hour of each session is none. */
const SOME = 0.3;
const FEW = 0.02;

/**
 * What the times of an intraday file name, by the venue's sessions: ends, where none is the open of a session and nearly
 * every session with rows has its close; starts the other way round. null where the times prove neither.
 */
export function stampShown(calendar: Calendar, times: readonly Millis[]): 'start' | 'end' | null {
  if (calendar.continuous) return null;
  const known = new Set(times);
  const sessions = sessionsWith(calendar, times);
  const within = times.filter((time) => calendar.currentOrNext(time - 1).open <= time).length;
  // Hours on the clock have times beyond the sessions, and prove nothing; extended hours have edges of their own.
  const isExtended = within < (1 - FEW) * times.length;
  const [early, late] = isExtended ? [EXTENDED_HOURS.before, EXTENDED_HOURS.after] : [0, 0];
  const opens = sessions.filter(({ open }) => known.has(open - early)).length;
  const closes = sessions.filter(({ close }) => known.has(close + late)).length;
  const most = NEARLY_ALL * sessions.length;
  if (sessions.length === 0 || (isExtended && nightTime(calendar, times) !== null)) return null;
  if (opens === 0 && closes >= most) return 'end';
  return closes === 0 && opens >= most ? 'start' : null;
}

const NEARLY_ALL = 0.9;

/** US stocks trade from 04:00 to 20:00. */
const EXTENDED_HOURS = { before: 5.5 * HOUR, after: 4 * HOUR };

/**
 * How long the row of a time is. Most rows at an edge of a session may be shorter than the size: hours on the clock begin
 * with half an hour after the open, and hours counted from the open end with half an hour before the close. Edges at one
 * distance from the open are judged together, since a break at noon has edges with rows of other lengths.
 * @param times of all rows, in any order
 */
export function rowLength(
  calendar: Calendar,
  times: readonly Millis[],
  { stamp, length }: { readonly stamp: 'start' | 'end'; readonly length: Millis },
): (at: Millis) => Millis {
  if (calendar.continuous) return () => length;
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  const edges = sorted.flatMap((at, i) => {
    const { open, segments } = calendar.currentOrNext(stamp === 'start' ? at : at - 1);
    const next = sorted[stamp === 'start' ? i + 1 : i - 1];
    if (!segments.some((segment) => isEdgeOf(segment, stamp, [at, next]))) return [];
    return [{ at, fromOpen: at - open, distance: next === undefined ? length : Math.abs(next - at) }];
  });
  const short = [...groupedBy(edges, ({ fromOpen }) => fromOpen).values()].flatMap((group) => {
    const usual = mostFrequent(group.map(({ distance }) => distance));
    const alike = group.filter(({ distance }) => distance === usual);
    return usual < length && alike.length * 2 > group.length ? alike : [];
  });
  const lengths = new Map(short.map(({ at, distance }) => [at, distance]));
  return (at) => lengths.get(at) ?? length;
}

/** Whether a row is at an edge of a segment: by its own time, or because its neighbour's time is the other end of it. */
function isEdgeOf(
  { open, close }: Segment,
  stamp: 'start' | 'end',
  [at, next]: readonly [Millis, Millis | undefined],
): boolean {
  if (stamp === 'start') return at === open || (open < at && next === close);
  return at === close || (at < close && next === open);
}

/** The sessions in which, or at the close of which, there is a time. */
function sessionsWith(calendar: Calendar, times: readonly Millis[]) {
  const found = times.flatMap((at) => {
    // A close counts to the session that it ends.
    const session = calendar.currentOrNext(at - 1);
    return at >= session.open ? [[session.open, session] as const] : [];
  });
  return [...new Map(found).values()];
}

/**
 * The usual distance between rows, where it contradicts the size: many are closer than a bar is long, or hardly any
 * are as far apart as one, or a part of the file has longer bars. null where it fits, or there are too few rows to tell.
 * @param times of all rows, in any order
 */
export function contradictingDistance(size: BarSize, times: readonly Millis[], calendar: Calendar): Millis | null {
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  const distances = sorted.slice(1).map((at, index) => at - (sorted[index] ?? at));
  if (distances.length < 3) return null;
  const shortest = size === '1d' ? DAY - 4 * HOUR : lengthOf(size);
  const longest = size === '1d' ? (calendar.continuous ? DAY : 4 * DAY + HOUR) : lengthOf(size);
  const share = (holds: (distance: Millis) => boolean) => distances.filter(holds).length / distances.length;
  const isFine = share((distance) => distance < shortest) > SOME;
  const isCoarse = share((distance) => distance >= shortest && distance <= longest) < FEW;
  return isFine || isCoarse ? mostFrequent(distances) : steadyOver(longest, distances, size);
}

/** So many equal distances in a row are no chance: a part of the file has longer bars. */
const STEADY: Readonly<Record<BarSize, number>> = { '1m': 30, '5m': 30, '1h': 15, '1d': 15 };
/** Where little trades, a long file may have as many, but hardly this share of it, nor this many. */
const STEADY_SHARE = 1 / 20;
const SURELY_STEADY = 100;

/** A distance longer than a bar that one row after the other has; null where none does. */
function steadyOver(longest: Millis, distances: readonly Millis[], size: BarSize): Millis | null {
  const share = size === '1d' ? 0 : Math.min(SURELY_STEADY, STEADY_SHARE * distances.length);
  const least = Math.max(STEADY[size], share);
  let run = 0;
  for (const [index, distance] of distances.entries()) {
    run = distance > longest && distance === distances[index - 1] ? run + 1 : 1;
    if (run >= least) return distance;
  }
  return null;
}

function mostFrequent(values: readonly Millis[]): Millis {
  const counts = new Map<Millis, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, some], [b, others]) => others - some || a - b)[0]?.[0] ?? 0;
}
