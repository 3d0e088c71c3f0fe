import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { calendarsOf } from '../../../../domain/market/calendars/by-venue.ts';
import { STOCK_VENUES } from '../../../../domain/market/venues/stock-venues.ts';
import { venueData } from '../../../../domain/market/venues/venue-file.ts';
import { rfc3339 } from '../../../../domain/time.ts';

/** A venue in the summer of the south, with a session of three parts and one without known hours. */
const FILE = {
  venue: 'NZX',
  aliases: ['XNZE'],
  zone: 'Pacific/Auckland',
  suffix: 'NZ',
  shape: '^[A-Z]{3}$',
  quotes: { NZD: 1 },
  reference: 'FNZ.NZ',
  known: { until: '2026-12-31', source: 'a test' },
  hours: [{ from: '2025-01-01', parts: ['10:00-16:45'] }],
  lines: { late: { hours: [{ from: '2026-02-01', parts: ['10:00-17:00'] }], members: 'late.json' } },
  closed: { 2025: '12-25', 2026: '01-01..01-02 12-25' },
  days: [
    { on: '2026-03-07', parts: ['10:00-11:00', '12:00-13:00', '14:00-15:00'] },
    { on: '2026-03-09 2026-03-10', parts: [], learned: '2026-03-09', source: 'a storm' },
    { on: '2026-03-15', parts: null },
  ],
};

const LATE = { 'late.json': [{ symbol: 'AIR.NZ', from: '2026-01-01' }] };

describe('a venue from its file', () => {
  const calendars = calendarsOf(venueData(FILE, LATE));
  const calendar = calendars()(Number.POSITIVE_INFINITY);

  test('has the parts of a Saturday, and none on the days of the storm', () => {
    expect(calendar.onDate('2026-03-07')?.segments.map(({ open }) => rfc3339(open).slice(0, 16))).toEqual([
      '2026-03-06T21:00',
      '2026-03-06T23:00',
      '2026-03-07T01:00',
    ]);
    const dates = calendar.sessions(Date.parse('2026-03-06'), Date.parse('2026-03-12T12:00Z')).map(({ date }) => date);
    expect(dates).toEqual(['2026-03-06', '2026-03-07', '2026-03-11', '2026-03-12']);
  });

  test('knows the storm from its first day on', () => {
    const on = (instant: string) => calendars()(Date.parse(instant)).onDate('2026-03-10')?.date;
    expect([on('2026-03-08T10:59:59Z'), on('2026-03-08T11:00Z')]).toEqual(['2026-03-10', undefined]);
  });

  test('has other hours for the members of a line, from the first day of these hours', () => {
    const air = calendars('AIR.NZ')(Number.POSITIVE_INFINITY);
    const lengths = ['2026-01-30', '2026-02-02'].map((date) => (air.onDate(date)?.length ?? 0) / 60_000);
    expect(lengths).toEqual([405, 420]);
    expect(calendars('AIR.NZ')(0)).toBe(calendars('AIR.NZ')(0));
  });
});

describe('a file with a fault names the member', () => {
  const day = (changes: object) => ({ days: [{ on: '2026-03-07', parts: ['10:00-11:00'], ...changes }] });
  test.each<[string, object, string]>([
    ['another member', { holidays: [] }, 'the file: holidays is no member'],
    ['a name in small letters', { venue: 'Nzx' }, 'venue: "Nzx" must be'],
    ['an unknown zone', { zone: 'Auckland' }, 'zone: "Auckland" must be an IANA name'],
    ['a suffix with its dot', { suffix: '.NZ' }, 'suffix: ".NZ" must be'],
    ['an alias for a suffix that is none', { aliases: { XNZE: 'AX' } }, 'aliases.XNZE: "AX" must be one of NZ'],
    ['a shape that may begin anywhere', { shape: '[A-Z]{3}' }, 'shape: "[A-Z]{3}" must be'],
    ['no quote', { quotes: {} }, 'quotes: 0 must be a currency'],
    ['pence as pounds', { quotes: { GBX: 1 } }, 'quotes.GBX: 1 must be the unit 0.01'],
    ['pounds as pence', { quotes: { GBP: 0.01 } }, 'quotes.GBP: 0.01 must be the unit 1'],
    ['no source', { known: { until: '2026-12-31' } }, 'known.source: undefined must be'],
    [
      'a day that does not exist',
      { known: { until: '2026-02-30', source: 'a test' } },
      'known.until: "2026-02-30" must be a date',
    ],
    ['no hours', { hours: [] }, 'hours: [] must be hours'],
    [
      'a session that ends before it begins',
      { hours: [{ from: '2025-01-01', parts: ['16:00-10:00'] }] },
      'hours.0.parts: ',
    ],
    ['parts that overlap', day({ parts: ['10:00-12:00', '11:00-13:00'] }), 'days.0.parts: '],
    ['an end after midnight', day({ parts: ['10:00-24:30'] }), 'days.0.parts: '],
    [
      'a closed day that does not exist',
      { closed: { 2025: '12-25', 2026: '02-30' } },
      'closed.2026: "2026-02-30" must be a date',
    ],
    ['a known year without its closed days', { closed: { 2025: '12-25' } }, 'closed.2026: undefined must be'],
    ['a range the wrong way round', { closed: { 2026: '03-05 03-04' } }, 'closed.2026: '],
    ['closed days that are no dates', { closed: { 2026: '3-5' } }, 'closed.2026: "3-5" must be'],
    ['a day twice', { days: [{ on: '2026-03-07 2026-03-07', parts: [] }] }, 'days: 2026-03-07 must be stated once'],
    [
      'a day that is not known',
      day({ on: '2027-03-08' }),
      'days: 2027-03-08 must be a day from hours.0.from to known.until',
    ],
    [
      'what was learned after the day',
      day({ learned: '2026-03-08', source: 'a test' }),
      'days: 2026-03-07 must not be learned after the day',
    ],
    ['what was learned without its source', day({ learned: '2026-03-06' }), 'days.0.source: undefined must be'],
    [
      'a line without its file',
      { lines: { late: { ...FILE.lines.late, members: 'other.json' } } },
      'other.json: undefined must be a list',
    ],
  ])('%s', (_, changes, message) => {
    expect(() => venueData({ ...FILE, ...changes }, LATE)).toThrow(TypeError);
    expect(() => venueData({ ...FILE, ...changes }, LATE)).toThrow(message);
  });

  test('periods of a member may not overlap', () => {
    const rows = (...periods: readonly (readonly [string, string?])[]) => ({
      'late.json': periods.map(([from, until]) => ({ symbol: 'AIR.NZ', from, ...(until ? { until } : {}) })),
    });
    const apart = venueData(FILE, rows(['2026-03-02', '2026-03-06'], ['2026-02-02', '2026-02-27'], ['2026-03-07']));
    expect(apart.lines[0]?.members).toHaveLength(3);
    const message = 'late.json: AIR.NZ must leave before 2026-03-06, when it comes back';
    expect(() => venueData(FILE, rows(['2026-03-06'], ['2026-03-02', '2026-03-06']))).toThrow(message);
    expect(() => venueData(FILE, rows(['2026-03-02'], ['2026-03-06']))).toThrow(message);
  });

  test('a member of a line without its first day', () => {
    expect(() => venueData(FILE, { 'late.json': [{ symbol: 'AIR.NZ' }] })).toThrow(
      'late.json: 0.from: undefined must be',
    );
  });
});

describe('the files of venues', () => {
  const root = join(import.meta.dirname, '..', '..', '..', '..');
  const folder = join(root, 'domain', 'market', 'venues');
  const contents = readdirSync(folder).flatMap((name) => {
    const content = name.endsWith('.json') ? JSON.parse(readFileSync(join(folder, name), 'utf8')) : [];
    return Array.isArray(content) ? [] : [[name, [content.venue].flat()] as const];
  });

  test.each(contents)('%s is imported and listed by stock-venues.ts', (_, names) => {
    expect(STOCK_VENUES.map((venue) => venue.names)).toContainEqual(names);
  });

  const manual = readFileSync(join(root, 'docs', 'symbols.md'), 'utf8');
  const table = manual.slice(manual.indexOf('| Venue, and other names of it |')).split('\n\n')[0] ?? '';
  const references = readFileSync(join(root, 'docs', 'grading-methods.md'), 'utf8');

  test.each(STOCK_VENUES)('$names are in the tables of docs/symbols.md and docs/grading-methods.md', (venue) => {
    const { names, aliases, suffixes, reference } = venue;
    // The tickers of the United States have no row: what is said above the table is of them.
    if (suffixes.length > 0) for (const name of [...names, ...aliases.keys()]) expect(table).toContain(name);
    for (const { symbol } of reference) expect(references).toContain(`\`${symbol}\``);
  });
});
