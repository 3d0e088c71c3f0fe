import { COHORT } from '../../limits.ts';
import { timeZoneOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import { MINUTE, type Millis } from '../../time.ts';
import { localDate } from '../../zoned-time.ts';
import type { Window } from '../call.ts';

/** A graded decision's window (anchor_time, end_time] on its instrument. */
export interface CountedWindow extends Window<Millis> {
  readonly instrument: Pick<Instrument, 'market' | 'symbol' | 'venue'>;
}

/** The window of a record, which has its instrument among its members. */
export function countedWindow(record: Instrument & Window<Date>): CountedWindow {
  return { instrument: record, anchor_time: record.anchor_time.getTime(), end_time: record.end_time.getTime() };
}

/** How much a number of outcomes overlap (evaluation-2.md section 5). */
export interface WindowCounts {
  /** Securities: one on several venues, in several quotes, as spot and as a perpetual is one. */
  readonly instruments: number;
  /** Pairs of a security and a date of the venue on which a window starts. */
  readonly instrument_days: number;
  /** The most windows of one security that overlap in one instant. */
  readonly max_concurrent: number;
  /** The most windows of which no two of one security overlap. */
  readonly disjoint: number;
}

/**
 * Counts windows to the minute: those that touch do not overlap. Exact, and null for more than COHORT.mostWindows
 * windows.
 */
export function windowCountsUpToLimit(windows: readonly CountedWindow[]): WindowCounts | null {
  return windows.length > COHORT.mostWindows ? null : windowCounts(windows);
}

/** The same for any number of windows. */
export function windowCounts(windows: readonly CountedWindow[]): WindowCounts {
  const tally = windowTally();
  tally.add(windows);
  return tally.counts();
}

/** Counts windows that come one part after the other. */
export interface WindowTally {
  add(windows: readonly CountedWindow[]): void;
  counts(): WindowCounts;
}

/** Holds a number for each window. Further windows cost what their securities have. */
export function windowTally(): WindowTally {
  const securities = new Map<string, Security>();
  const dateOf = dates();
  return {
    add(windows) {
      for (const { instrument, anchor_time, end_time } of windows) {
        const key = `${instrument.market}:${instrument.symbol}`;
        const security = securities.get(key) ?? { days: new Set(), byEnd: [], counted: null };
        securities.set(key, security);
        security.days.add(dateOf(anchor_time, timeZoneOf(instrument)));
        security.byEnd.push(placeOf(minuteOf(anchor_time), minuteOf(end_time)));
        security.counted = null;
      }
    },
    counts() {
      const all = [...securities.values()];
      const counted = all.map((security) => (security.counted ??= countOf(security.byEnd)));
      return {
        instruments: all.length,
        instrument_days: sum(all.map(({ days }) => days.size)),
        max_concurrent: counted.reduce((most, { concurrent }) => Math.max(most, concurrent), 0),
        disjoint: sum(counted.map(({ disjoint }) => disjoint)),
      };
    },
  };
}

interface Security {
  readonly days: Set<string>;
  /** Each window as `placeOf` has it. */
  readonly byEnd: number[];
  /** null since windows were added. */
  counted: { readonly concurrent: number; readonly disjoint: number } | null;
}

/** A window as a number that grows with its end, then with its start: numbers are sorted ten times as fast as objects. */
function placeOf(since: number, until: number): number {
  return until * LONGEST + (LONGEST - 1 - (until - since));
}

/** More minutes than any window has, few enough that a place is exact for two centuries. */
const LONGEST = 2 ** 26;

function countOf(places: readonly number[]): NonNullable<Security['counted']> {
  const sorted = Float64Array.from(places).sort();
  const ends = sorted.map((place) => Math.floor(place / LONGEST));
  const starts = sorted.map((place, i) => (ends[i] ?? 0) - (LONGEST - 1 - (place - (ends[i] ?? 0) * LONGEST)));
  return { disjoint: mostDisjoint(starts, ends), concurrent: mostConcurrent(starts.sort(), ends) };
}

/** Ends come before the starts of the same minute, since a window does not contain its start. Both in ascending order. */
function mostConcurrent(starts: Float64Array, ends: Float64Array): number {
  let [ended, most] = [0, 0];
  for (const [started, start] of starts.entries()) {
    while ((ends[ended] ?? start + 1) <= start) ended += 1;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
}

/** Taking the window that ends first, again and again, leaves the most room for others. In the order of the ends. */
function mostDisjoint(starts: Float64Array, ends: Float64Array): number {
  let [count, until] = [0, Number.NEGATIVE_INFINITY];
  for (const [i, start] of starts.entries()) {
    if (start < until) continue;
    until = ends[i] ?? until;
    count += 1;
  }
  return count;
}

/** `localDate`, which takes as long as all else of a window: most windows begin with a session, and so with others. */
function dates(): typeof localDate {
  const zones = new Map<string, Map<number, string>>();
  return (at, timeZone) => {
    if (timeZone === 'UTC') return localDate(at, timeZone);
    const known = zones.get(timeZone) ?? new Map<number, string>();
    zones.set(timeZone, known);
    const date = known.get(minuteOf(at)) ?? localDate(at, timeZone);
    known.set(minuteOf(at), date);
    return date;
  };
}

function minuteOf(at: Millis): number {
  return Math.floor(at / MINUTE);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
