import { DAY, MINUTE, type Millis } from '../../time.ts';
import { firstIndex } from '../adjustment.ts';
import type { Calendar, Segment, TradingSession } from '../calendar.ts';

/** A venue with unknown hours: every weekday, the whole UTC day, so that no bar is lost. */
export const GENERIC: VenueHours = {
  name: 'generic',
  venues: [],
  time_zone: 'UTC',
  segments: [[0, 24 * 60]],
  known_years: { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
  closed: () => new Set(),
  early: () => new Map(),
};

/** Days since 1970-01-01, a local date without a time. */
export type DayNumber = number;

/** The content of a venue's data file (evaluation.md section 8). Local times are minutes after midnight. */
export interface VenueHours {
  readonly name: string;
  readonly venues: readonly string[];
  /** IANA name. Sessions must not leave the UTC date that their local date names. */
  readonly time_zone: string;
  readonly segments: readonly (readonly [open: number, close: number])[];
  /** The years whose holidays are known, both ends included; the others have every weekday, flagged generic. */
  readonly known_years: { readonly from: number; readonly to: number };
  /** The weekdays of a known year without a session. */
  readonly closed: (year: number) => ReadonlySet<DayNumber>;
  /** The sessions of a known year that close early: the local time of the close. */
  readonly early: (year: number) => ReadonlyMap<DayNumber, number>;
}

/** A calendar from a venue's hours; the sessions of a year are computed on first use and cached. */
export function venueCalendar(hours: VenueHours): Calendar {
  const years = new Map<number, readonly TradingSession[]>();

  const sessionsOf = (year: number): readonly TradingSession[] => {
    const cached = years.get(year);
    if (cached) return cached;
    const made = sessionsOfYear(hours, year);
    years.set(year, made);
    return made;
  };

  const pick = (year: number, index: number): TradingSession => {
    const sessions = sessionsOf(year);
    if (index < 0) return pick(year - 1, index + sessionsOf(year - 1).length);
    return sessions[index] ?? pick(year + 1, index - sessions.length);
  };

  const firstWith = (at: Millis, wanted: (session: TradingSession) => boolean) => {
    const year = yearOf(at);
    return { year, index: firstIndex(sessionsOf(year), wanted) };
  };

  const calendar: Calendar = {
    name: hours.name,
    continuous: false,
    regular_session: hours.segments.reduce((sum, [open, close]) => sum + (close - open) * MINUTE, 0),
    isGeneric: (at) => !isKnown(hours, yearOf(at)),
    nthFrom: (at, n) => {
      const { year, index } = firstWith(at, ({ open }) => open >= at);
      return pick(year, index + n - 1);
    },
    nthBefore: (at, n) => {
      const { year, index } = firstWith(at, ({ close }) => close > at);
      return pick(year, index - n);
    },
    currentOrNext: (at) => {
      const { year, index } = firstWith(at, ({ close }) => close > at);
      return pick(year, index);
    },
    sessions: (from, to) => {
      const { year, index } = firstWith(from, ({ close }) => close > from);
      const found: TradingSession[] = [];
      for (let i = index, session = pick(year, i); session.open < to; session = pick(year, ++i)) found.push(session);
      return found;
    },
  };
  return calendar;
}

/** The number of the day `YYYY-MM-DD`. */
export function dayNumber(date: string): DayNumber {
  return Date.parse(date) / DAY;
}

/** 0 Sunday to 6 Saturday. */
export function weekday(day: DayNumber): number {
  return new Date(day * DAY).getUTCDay();
}

function sessionsOfYear(hours: VenueHours, year: number): readonly TradingSession[] {
  const known = isKnown(hours, year);
  const closed = known ? hours.closed(year) : new Set<DayNumber>();
  const early = known ? hours.early(year) : new Map<DayNumber, number>();
  const first = Date.UTC(year, 0, 1) / DAY;
  const days = Array.from({ length: Date.UTC(year + 1, 0, 1) / DAY - first }, (_, i) => first + i);
  const offset = zoneOffset(hours.time_zone);
  return days
    .filter((day) => weekday(day) % 6 !== 0 && !closed.has(day))
    .map((day) => session(hours, day * DAY - offset(day), early.get(day) ?? Number.POSITIVE_INFINITY));
}

function session(hours: VenueHours, midnight: Millis, lastMinute: number): TradingSession {
  const segments: Segment[] = hours.segments
    .filter(([open]) => open < lastMinute)
    .map(([open, close]) => ({
      open: midnight + open * MINUTE,
      close: midnight + Math.min(close, lastMinute) * MINUTE,
    }));
  const open = Math.min(...segments.map((segment) => segment.open));
  const close = Math.max(...segments.map((segment) => segment.close));
  return { open, close, segments, length: segments.reduce((sum, segment) => sum + segment.close - segment.open, 0) };
}

/** Local time minus UTC in the middle of a day; clocks change at night, so it holds for the whole session. */
function zoneOffset(timeZone: string): (day: DayNumber) => Millis {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (day) => {
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format((day + 0.5) * DAY)) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
  };
}

function isKnown({ known_years: { from, to } }: VenueHours, year: number): boolean {
  return year >= from && year <= to;
}

function yearOf(at: Millis): number {
  return new Date(at).getUTCFullYear();
}
