import { COHORT } from '../../limits.ts';
import { groupedBy } from '../../market/bars.ts';
import { timeZoneOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import { MINUTE, type Millis } from '../../time.ts';
import { localDate } from '../../zoned-time.ts';
import type { Window } from '../call.ts';

/** A graded decision's window (anchor_time, end_time] on its instrument. */
export interface CountedWindow extends Window<Millis> {
  readonly instrument: Instrument;
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
  const groups = [...groupedBy(windows, ({ instrument: { market, symbol } }) => `${market}:${symbol}`).values()];
  return {
    instruments: groups.length,
    instrument_days: sum(groups.map(daysOf)),
    max_concurrent: groups.reduce((most, group) => Math.max(most, mostConcurrent(group)), 0),
    disjoint: sum(groups.map(mostDisjoint)),
  };
}

function daysOf(windows: readonly CountedWindow[]): number {
  return new Set(windows.map(({ instrument, anchor_time }) => localDate(anchor_time, timeZoneOf(instrument)))).size;
}

/** Ends come before the starts of the same minute, since a window does not contain its start. */
function mostConcurrent(windows: readonly CountedWindow[]): number {
  const starts = windows.map(({ anchor_time }) => minuteOf(anchor_time)).sort((a, b) => a - b);
  const ends = windows.map(({ end_time }) => minuteOf(end_time)).sort((a, b) => a - b);
  let [ended, most] = [0, 0];
  for (const [started, start] of starts.entries()) {
    while ((ends[ended] ?? start + 1) <= start) ended += 1;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
}

/** Taking the window that ends first, again and again, leaves the most room for others. */
function mostDisjoint(windows: readonly CountedWindow[]): number {
  const byEnd = windows.toSorted((a, b) => a.end_time - b.end_time);
  let [count, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { anchor_time, end_time } of byEnd) {
    if (minuteOf(anchor_time) < until) continue;
    until = minuteOf(end_time);
    count += 1;
  }
  return count;
}

function minuteOf(at: Millis): number {
  return Math.floor(at / MINUTE);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
