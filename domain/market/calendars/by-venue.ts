import type { Calendar } from '../calendar.ts';
import type { Instrument } from '../instrument.ts';
import { CHINA } from './china.ts';
import { continuousCalendar } from './continuous-calendar.ts';
import { GENERIC } from './generic.ts';
import { US } from './us.ts';
import { venueCalendar } from './venue-calendar.ts';

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
