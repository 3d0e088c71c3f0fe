import { DAY, type Millis } from '../../time.ts';
import type { Calendar, TradingSession } from '../calendar.ts';
import type { Instrument } from '../instrument.ts';
import { US } from './us.ts';
import { type DayNumber, dayNumber, GENERIC, type VenueHours, venueCalendar } from './venue-calendar.ts';

/**
 * The weekdays without a session, `MM-DD` or `MM-DD..MM-DD` with both ends: announced year by year, not by a rule.
 * Until September 2024 they are the weekdays missing from the daily bars of the Shanghai index; later ones are from the
 * exchanges' notices.
 */
const CLOSED: Readonly<Record<number, string>> = {
  1999: '01-01 02-10..02-26 05-03 10-01..10-07 12-20 12-31',
  2000: '01-03 01-31..02-11 05-01..05-05 10-02..10-06',
  2001: '01-01 01-22..02-02 05-01..05-07 10-01..10-05',
  2002: '01-01..01-03 02-11..02-22 05-01..05-07 09-30..10-07',
  2003: '01-01 01-30..02-07 05-01..05-09 10-01..10-07',
  2004: '01-01 01-19..01-28 05-03..05-07 10-01..10-07',
  2005: '01-03 02-07..02-15 05-02..05-06 10-03..10-07',
  2006: '01-02..01-03 01-26..02-03 05-01..05-05 10-02..10-06',
  2007: '01-01..01-03 02-19..02-23 05-01..05-07 10-01..10-05 12-31',
  2008: '01-01 02-06..02-12 04-04 05-01..05-02 06-09 09-15 09-29..10-03',
  2009: '01-01..01-02 01-26..01-30 04-06 05-01 05-28..05-29 10-01..10-08',
  2010: '01-01 02-15..02-19 04-05 05-03 06-14..06-16 09-22..09-24 10-01..10-07',
  2011: '01-03 02-02..02-08 04-04..04-05 05-02 06-06 09-12 10-03..10-07',
  2012: '01-02..01-03 01-23..01-27 04-02..04-04 04-30..05-01 06-22 10-01..10-05',
  2013: '01-01..01-03 02-11..02-15 04-04..04-05 04-29..05-01 06-10..06-12 09-19..09-20 10-01..10-07',
  2014: '01-01 01-31..02-06 04-07 05-01..05-02 06-02 09-08 10-01..10-07',
  2015: '01-01..01-02 02-18..02-24 04-06 05-01 06-22 09-03..09-04 10-01..10-07',
  2016: '01-01 02-08..02-12 04-04 05-02 06-09..06-10 09-15..09-16 10-03..10-07',
  2017: '01-02 01-27..02-02 04-03..04-04 05-01 05-29..05-30 10-02..10-06',
  2018: '01-01 02-15..02-21 04-05..04-06 04-30..05-01 06-18 09-24 10-01..10-05 12-31',
  2019: '01-01 02-04..02-08 04-05 05-01..05-03 06-07 09-13 10-01..10-07',
  2020: '01-01 01-24..01-31 04-06 05-01..05-05 06-25..06-26 10-01..10-08',
  2021: '01-01 02-11..02-17 04-05 05-03..05-05 06-14 09-20..09-21 10-01..10-07',
  2022: '01-03 01-31..02-04 04-04..04-05 05-02..05-04 06-03 09-12 10-03..10-07',
  2023: '01-02 01-23..01-27 04-05 05-01..05-03 06-22..06-23 09-29..10-06',
  2024: '01-01 02-09..02-16 04-04..04-05 05-01..05-03 06-10 09-16..09-17 10-01..10-07',
  2025: '01-01 01-28..02-04 04-04 05-01..05-05 06-02 10-01..10-08',
  2026: '01-01..01-02 02-16..02-23 04-06 05-01..05-05 06-19 09-25 10-01..10-07',
};

/** The stock exchanges of mainland China: 09:30-11:30 and 13:00-15:00 Shanghai, no early closes (evaluation.md section 8). */
const CHINA: VenueHours = {
  name: 'china',
  venues: ['SSE', 'SZSE'],
  time_zone: 'Asia/Shanghai',
  segments: [
    [9 * 60 + 30, 11 * 60 + 30],
    [13 * 60, 15 * 60],
  ],
  known_years: { from: 1999, to: 2026 },
  closed: (year) => new Set((CLOSED[year] ?? '').split(' ').flatMap((range) => daysOf(year, range))),
  early: () => new Map(),
};

const byVenue = new Map(
  [US, CHINA].flatMap((hours) => {
    const calendar = venueCalendar(hours);
    return hours.venues.map((venue) => [venue, calendar] as const);
  }),
);
const generic = venueCalendar(GENERIC);
const continuous = continuousCalendar();

/** The calendar of an instrument's venue; an unknown stock venue has weekdays, flagged generic. */
export function calendarOf({ market, venue }: Pick<Instrument, 'market' | 'venue'>): Calendar {
  return market === 'crypto' ? continuous : (byVenue.get(venue) ?? generic);
}

/** The IANA name of the time zone of each venue with sessions. The days of other venues are those of UTC. */
export const VENUE_TIME_ZONES: Readonly<Record<string, string>> = Object.fromEntries(
  [US, CHINA].flatMap(({ venues, time_zone }) => venues.map((venue) => [venue, time_zone])),
);

/** The IANA name of the time zone of a venue's days; UTC where it is unknown, and where trading never stops. */
export function timeZoneOf({ venue }: Pick<Instrument, 'venue'>): string {
  return VENUE_TIME_ZONES[venue] ?? 'UTC';
}

/** Crypto: always open, its sessions are full UTC days (evaluation.md sections 2 and 8). */
function continuousCalendar(): Calendar {
  return {
    name: 'continuous',
    continuous: true,
    regular_session: DAY,
    isGeneric: () => false,
    nthFrom: (at, n) => utcDay(Math.ceil(at / DAY) + n - 1),
    nthBefore: (at, n) => utcDay(Math.floor(at / DAY) - n),
    currentOrNext: (at) => utcDay(Math.floor(at / DAY)),
    sessions: (from, to) => {
      const first = Math.floor(from / DAY);
      return Array.from({ length: Math.max(0, Math.ceil(to / DAY) - first) }, (_, i) => utcDay(first + i));
    },
  };
}

function utcDay(day: number): TradingSession {
  const open: Millis = day * DAY;
  const segment = { open, close: open + DAY };
  return { ...segment, segments: [segment], length: DAY };
}

function daysOf(year: number, range: string): DayNumber[] {
  const [first = '', last = first] = range.split('..');
  const from = dayNumber(`${year}-${first}`);
  return Array.from({ length: dayNumber(`${year}-${last}`) - from + 1 }, (_, i) => from + i);
}
