import { DAY, HOUR, MINUTE, type Millis, utcDate } from '../../time.ts';
import { localDate, localToInstant } from '../../zoned-time.ts';
import { firstIndex } from '../adjustment.ts';
import type { Calendar, Segment, TradingSession } from '../calendar.ts';
import {
  closedDays,
  type DayNumber,
  dayNumber,
  type HoursFrom,
  type Part,
  type VenueData,
} from '../venues/venue-file.ts';

/** What a calendar is made of; local times are minutes after midnight. */
export interface VenueHours extends Pick<VenueData, 'zone' | 'hours' | 'closed' | 'days'> {
  readonly name: string;
  readonly known: Pick<VenueData['known'], 'from' | 'until'>;
  readonly learned_until: Millis;
}

/** A venue with unknown hours: every weekday, the whole UTC day, so that no bar is lost. */
export const GENERIC: VenueHours = {
  name: 'generic',
  zone: 'UTC',
  known: { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY },
  hours: [{ from: 0, parts: [[0, 24 * 60]] }],
  closed: {},
  days: [],
  learned_until: Number.POSITIVE_INFINITY,
};

/** A calendar from a venue's hours; the sessions of a year are computed on first use and cached. */
export function venueCalendar(hours: VenueHours): Calendar {
  const years = new Map<number, readonly TradingSession[]>();
  const special = new Map(hours.days.map(({ on, parts }) => [on, parts]));
  const generic = genericTime(hours);

  const sessionsOf = (year: number): readonly TradingSession[] => {
    const cached = years.get(year);
    if (cached) return cached;
    const made = sessionsOfYear(hours, special, year);
    years.set(year, made);
    return made;
  };

  const pick = (year: number, index: number): TradingSession => {
    const sessions = sessionsOf(year);
    if (index < 0) return pick(year - 1, index + sessionsOf(year - 1).length);
    return sessions[index] ?? pick(year + 1, index - sessions.length);
  };

  const firstWith = (at: Millis, wanted: (session: TradingSession) => boolean) => {
    checkInstant(at);
    for (let year = earliestYear(at); ; year++) {
      const index = firstIndex(sessionsOf(year), wanted);
      if (index < sessionsOf(year).length) return { year, index };
    }
  };

  return {
    name: hours.name,
    continuous: false,
    regularSession: (at) => usualLength(hours, at),
    generic,
    learned_until: hours.learned_until,
    isGeneric: (at) => generic.some(({ open, close }) => open <= at && at < close),
    onDate: (date) => {
      const sessions = sessionsOf(Number(date.slice(0, 4)));
      const found = sessions[firstIndex(sessions, (session) => session.date >= date)];
      return found?.date === date ? found : undefined;
    },
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
      checkInstant(to);
      const { year, index } = firstWith(from, ({ close }) => close > from);
      const found: TradingSession[] = [];
      for (let i = index, session = pick(year, i); session.open < to; session = pick(year, ++i)) found.push(session);
      return found;
    },
  };
}

/** No session begins after the last year of an RFC 3339 time: a search for one would not end. */
const LAST = Date.UTC(10_000, 0, 1);

function checkInstant(at: Millis): void {
  if (!(Math.abs(at) < LAST)) throw new RangeError(`no calendar reaches ${at}`);
}

function usualLength({ hours, zone }: VenueHours, at: Millis): Millis {
  const parts = usualParts(hours, hours.length === 1 ? 0 : dayNumber(localDate(at, zone)));
  return parts.reduce((sum, [open, close]) => sum + (close - open) * MINUTE, 0);
}

/** Those of the first day for the days before it. */
function usualParts(hours: readonly HoursFrom[], day: DayNumber): readonly Part[] {
  return (hours.findLast(({ from }) => from <= day) ?? hours[0])?.parts ?? [];
}

function genericTime({ known, days, zone }: VenueHours): readonly Segment[] {
  const [before, after] = [{ open: Number.NEGATIVE_INFINITY }, { close: Number.POSITIVE_INFINITY }];
  if (known.from > known.until) return [{ ...before, ...after }];
  const midnight = (day: DayNumber) => midnightOf(day, zone);
  const unknown = days.filter(({ parts }) => parts === null).toSorted((a, b) => a.on - b.on);
  return [
    { ...before, close: midnight(known.from) },
    ...unknown.map(({ on }) => ({ open: midnight(on), close: midnight(on + 1) })),
    { open: midnight(known.until + 1), ...after },
  ];
}

/** When a local date begins. */
export function midnightOf(day: DayNumber, zone: string): Millis {
  return localToInstant(day * DAY, zone) ?? day * DAY;
}

type SpecialParts = ReadonlyMap<DayNumber, readonly Part[] | null>;

/** The sessions of the local dates of a year. One without known hours has the usual ones. */
function sessionsOfYear(venue: VenueHours, special: SpecialParts, year: number): readonly TradingSession[] {
  const { known, hours, zone } = venue;
  const isKnown = (day: DayNumber) => known.from <= day && day <= known.until;
  const closed = new Set(closedDays(year, venue.closed[year] ?? ''));
  const first = Date.UTC(year, 0, 1) / DAY;
  const days = Array.from({ length: Date.UTC(year + 1, 0, 1) / DAY - first }, (_, i) => first + i);
  return days.flatMap((day) => {
    const stated = isKnown(day) ? special.get(day) : undefined;
    const isOff = weekday(day) % 6 === 0 || (isKnown(day) && closed.has(day));
    const parts = stated ?? (stated === undefined && isOff ? [] : usualParts(hours, day));
    return parts.length === 0 ? [] : [sessionOf(day, parts, zone)];
  });
}

/** The clocks change at night, so the offset at noon holds for the whole session. */
function sessionOf(day: DayNumber, parts: readonly Part[], zone: string): TradingSession {
  const midnight = (localToInstant(day * DAY + 12 * HOUR, zone) ?? day * DAY) - 12 * HOUR;
  const segments = parts.map(([open, close]) => ({ open: midnight + open * MINUTE, close: midnight + close * MINUTE }));
  return {
    date: utcDate(day * DAY),
    open: segments[0]?.open ?? midnight,
    close: segments.at(-1)?.close ?? midnight,
    segments,
    length: segments.reduce((sum, { open, close }) => sum + close - open, 0),
  };
}

/** 0 Sunday to 6 Saturday. */
function weekday(day: DayNumber): number {
  return new Date(day * DAY).getUTCDay();
}

/**
 * The year of an instant, or the one before: a session of 31 December may end on 1 January of UTC. A mean year has 365.2425
 * days, and none begins two days off.
 */
function earliestYear(at: Millis): number {
  return 1970 + Math.floor((at - 3 * DAY) / (365.2425 * DAY));
}
