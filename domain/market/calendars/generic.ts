import type { VenueHours } from './venue-calendar.ts';

/** A venue nobody has described: every weekday, the whole UTC day, so that no bar of its unknown hours is lost. */
export const GENERIC: VenueHours = {
  name: 'generic',
  venues: [],
  time_zone: 'UTC',
  segments: [[0, 24 * 60]],
  known_years: { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
  closed: () => new Set(),
  early: () => new Map(),
};
