import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { STOCK_VENUES } from '../../../../domain/market/venues/stock-venues.ts';
import type { VenueData } from '../../../../domain/market/venues/venue-file.ts';
import { VENUES } from '../../../../domain/market/venues.ts';
import { DAY, rfc3339 } from '../../../../domain/time.ts';

/**
 * By venue and year, the number of sessions and a digest of all their parts. Those of NYSE and SSE were made from the
 * calendars by rule that the files replaced; the others after `npm run calendars` had found no difference.
 */
const DIGESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'session-digests.json'), 'utf8'),
);

const rows = Object.entries(DIGESTS).flatMap(([venue, years]) =>
  Object.entries(years).map(([year, digest]) => [venue, year, digest] as const),
);

function digestOf(venue: string, year: string): string {
  const midnight = Date.UTC(Number(year), 0, 1);
  const sessions = calendarOf({ market: 'stock', venue })
    .sessions(midnight - DAY, Date.UTC(Number(year) + 1, 0, 2))
    .filter(({ date }) => date.startsWith(year));
  const lines = sessions.map(({ segments }) =>
    segments.map(({ open, close }) => `${minute(open)}/${minute(close).slice(11)}`).join(' '),
  );
  return `${lines.length} ${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`;
}

function minute(at: number): string {
  return `${rfc3339(at).slice(0, 16)}Z`;
}

describe('the sessions of a year', () => {
  test.each(rows)('%s %s', (venue, year, digest) => expect(digestOf(venue, year)).toBe(digest));

  const years = ({ known: { from, until } }: VenueData) => {
    const [first = 0, last = 0] = [from, until].map((day) => new Date(day * DAY).getUTCFullYear());
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  };

  test('are stated for each calendar, from its first known year to its last', () => {
    const missing = STOCK_VENUES.flatMap((data) => {
      const [venue = ''] = data.names;
      const added = years(data).filter((year) => DIGESTS[venue]?.[year] === undefined);
      return added.length === 0
        ? []
        : [[venue, Object.fromEntries(added.map((year) => [year, digestOf(venue, year)]))]];
    });
    // Once the sessions are compared with the exchange's announcement, these rows are what the file lacks.
    expect({ 'add to session-digests.json': Object.fromEntries(missing) }).toEqual({
      'add to session-digests.json': {},
    });
    const known = new Set(STOCK_VENUES.flatMap((data) => years(data).map((year) => `${data.names[0]} ${year}`)));
    expect(rows.filter(([venue, year]) => !known.has(`${venue} ${year}`))).toEqual([]);
  });

  test('are of as many calendars as there are files of venues', () => {
    const calendars = new Set(
      VENUES.filter(({ market }) => market === 'stock').map((venue) => calendarOf({ ...venue, venue: venue.name })),
    );
    expect(calendars.size).toBe(STOCK_VENUES.length);
  });
});
