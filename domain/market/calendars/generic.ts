import type { VenueHours } from './venue-calendar.ts';

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
