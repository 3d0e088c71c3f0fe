import { DAY, type Millis, utcDate } from '../../time.ts';
import { localDate } from '../../zoned-time.ts';
import type { Calendar, TradingSession } from '../calendar.ts';
import type { Instrument } from '../instrument.ts';
import { STOCK_VENUES } from '../venues/stock-venues.ts';
import { type DayNumber, dayNumber, type HoursFrom, type LineMember, type VenueData } from '../venues/venue-file.ts';
import { GENERIC, midnightOf, venueCalendar } from './venue-calendar.ts';

/** The calendar of a venue, or of a line of it, by what was known at a time. */
export type DatedCalendar = (knownAt: Millis) => Calendar;

/** An instrument of which only the venue may be known: then its line is not. */
type OfVenue = Pick<Instrument, 'market' | 'venue'> & Partial<Pick<Instrument, 'symbol'>>;

const generic = venueCalendar(GENERIC);
const continuous = continuousCalendar();
const byVenue = new Map(
  STOCK_VENUES.flatMap((data) => {
    const calendars = calendarsOf(data);
    return data.names.map((name) => [name, calendars] as const);
  }),
);

/**
 * The calendar of an instrument; an unknown stock venue has weekdays, flagged generic.
 * @param knownAt plans use the closures that were known at receipt, grades all of them (securities.md section 6)
 */
export function calendarOf({ market, venue, symbol }: OfVenue, knownAt: Millis = Number.POSITIVE_INFINITY): Calendar {
  if (market === 'crypto') return continuous;
  return byVenue.get(venue)?.(symbol)(knownAt) ?? generic;
}

/** The calendars of a venue, by symbol: those of a line differ from the venue's. */
export function calendarsOf(data: VenueData): (symbol?: string) => DatedCalendar {
  const common = datedCalendar(data);
  const all = data.lines.flatMap(({ hours, members }) => members.map((member) => ({ ...member, hours })));
  const opened = new Map<string, DatedCalendar>();
  return (symbol) => {
    if (symbol === undefined || all.length === 0) return common;
    const known = opened.get(symbol);
    if (known) return known;
    const periods = all.filter((member) => member.symbol === symbol);
    if (periods.length === 0) return common;
    const calendar = datedCalendar(withLines(data, periods));
    opened.set(symbol, calendar);
    return calendar;
  };
}

/** A time in which an instrument was one of a line, and the hours of the line. */
type LinePeriod = LineMember & { readonly hours: readonly HoursFrom[] };

/** The hours of a member: in each of its periods those of the line, otherwise the venue's. */
function withLines(data: VenueData, periods: readonly LinePeriod[]): VenueData {
  const usual = (hours: readonly HoursFrom[], day: DayNumber) => hours.findLast((each) => each.from <= day)?.parts;
  const lineOn = (day: DayNumber) => periods.find(({ from, until }) => from <= day && day <= until)?.hours ?? [];
  const edges = periods.flatMap(({ from, until, hours }) => [from, until + 1, ...hours.map((each) => each.from)]);
  const starts = [...data.hours.map(({ from }) => from), ...edges];
  const days = [...new Set(starts)].filter(Number.isFinite).sort((a, b) => a - b);
  const hours = days.flatMap((day) => {
    const parts = usual(lineOn(day), day) ?? usual(data.hours, day);
    return parts === undefined ? [] : [{ from: day, parts }];
  });
  return { ...data, hours };
}

function datedCalendar(data: VenueData): DatedCalendar {
  const learned = [...new Set(data.days.flatMap((day) => day.learned ?? []))].sort((a, b) => a - b);
  const last = learned.at(-1);
  const whole = calendarKnownOn(data, Number.POSITIVE_INFINITY);
  const variants = new Map<DayNumber, Calendar>();
  return (knownAt) => {
    if (last === undefined || knownAt >= (last + 1) * DAY) return whole;
    const today = dayNumber(localDate(knownAt, data.zone));
    const next = learned.find((day) => day > today);
    if (next === undefined) return whole;
    const calendar = variants.get(next) ?? calendarKnownOn(data, next);
    variants.set(next, calendar);
    return calendar;
  };
}

/** Without what was learned on that day or later. */
function calendarKnownOn({ names, zone, known, hours, closed, days }: VenueData, day: DayNumber): Calendar {
  const learned_until = Number.isFinite(day) ? midnightOf(day, zone) : day;
  const name = names[0]?.toLowerCase() ?? '';
  const learned = days.filter((each) => (each.learned ?? Number.NEGATIVE_INFINITY) < day);
  return venueCalendar({ name, zone, known, hours, closed, days: learned, learned_until });
}

/** Until when the sessions of a calendar are known. */
export interface KnownCalendar {
  /** The venues that have it. */
  readonly venues: readonly string[];
  readonly zone: string;
  /** `YYYY-MM-DD`, the first and the last day at the venue; both are known. */
  readonly from: string;
  readonly until: string;
  /** Known days after that of the venue at the time; below 0 when it is beyond the last. */
  readonly days_left: number;
  readonly source: string;
}

/** Every calendar, the one that ends first at the top. */
export function knownCalendars(now: Millis): readonly KnownCalendar[] {
  return STOCK_VENUES.map(({ names, zone, known: { from, until, source } }) => {
    const days_left = until - dayNumber(localDate(now, zone));
    return { venues: names, zone, from: utcDate(from * DAY), until: utcDate(until * DAY), days_left, source };
  }).toSorted((a, b) => (a.until < b.until ? -1 : Number(a.until > b.until)));
}

/** The IANA name of the time zone of each venue with sessions. The days of other venues are those of UTC. */
export const VENUE_TIME_ZONES: Readonly<Record<string, string>> = Object.fromEntries(
  STOCK_VENUES.flatMap(({ names, zone }) => names.map((name) => [name, zone])),
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
    regularSession: () => DAY,
    generic: [],
    learned_until: Number.POSITIVE_INFINITY,
    isGeneric: () => false,
    onDate: (date) => utcDay(dayNumber(date)),
    nthFrom: (at, n) => utcDay(Math.ceil(at / DAY) + n - 1),
    nthBefore: (at, n) => utcDay(Math.floor(at / DAY) - n),
    currentOrNext: (at) => utcDay(Math.floor(at / DAY)),
    sessions: (from, to) => {
      const first = Math.floor(from / DAY);
      return Array.from({ length: Math.max(0, Math.ceil(to / DAY) - first) }, (_, i) => utcDay(first + i));
    },
  };
}

/** Each evaluation asks for the same few hundred days again. */
const utcDays = new Map<number, TradingSession>();
const MOST_DAYS = 4_000;

function utcDay(day: number): TradingSession {
  const known = utcDays.get(day);
  if (known !== undefined) return known;
  const session = newUtcDay(day);
  if (utcDays.size >= MOST_DAYS) utcDays.clear();
  utcDays.set(day, session);
  return session;
}

function newUtcDay(day: number): TradingSession {
  const open: Millis = day * DAY;
  const segment = { open, close: open + DAY };
  return {
    ...segment,
    segments: [segment],
    length: DAY,
    // Hardly any of them is asked for its date.
    get date() {
      return utcDate(open);
    },
  };
}
