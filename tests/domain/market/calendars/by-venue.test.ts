import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Bar } from '../../../../domain/market/bars.ts';
import { calendarOf, knownCalendars } from '../../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY, HOUR, rfc3339, utcDate } from '../../../../domain/time.ts';
import { amchartsBars, at, BTC, MSFT, PUFA, pufaBars, SPX, spxBars } from '../real-bars.ts';

const us = calendarOf(SPX);
const china = calendarOf(PUFA);
const crypto = calendarOf(BTC);
const unknown = calendarOf({ market: 'stock', venue: 'NOWHERE' });
const calendars = { us, china, crypto, unknown };

const instant = fc.integer({ min: at('1999-06-01'), max: at('2030-01-01') });
const anyCalendar = fc.constantFrom(...Object.values(calendars));

function hours(instrument: Instrument, date: string): string[] {
  const session = calendarOf(instrument).currentOrNext(at(date));
  return session.segments.flatMap(({ open, close }) => [rfc3339(open).slice(0, 16), rfc3339(close).slice(0, 16)]);
}

function datesOf(instrument: Instrument, from: string, to: string): string[] {
  return calendarOf(instrument)
    .sessions(at(from), at(to))
    .map(({ open }) => utcDate(open));
}

describe('trading dates', () => {
  const real: [string, Instrument, Bar[]][] = [
    ['S&P 500, 2000 to 2020', SPX, spxBars()],
    ['MSFT, 2000 to 2014', MSFT, amchartsBars('MSFT')],
    ['TXN, 2000 to 2014', MSFT, amchartsBars('TXN')],
    ['600000 in Shanghai, 2022 to 2024', PUFA, pufaBars('1d')],
  ];

  test.each(real)('no mismatch with the real ones of %s', (_, instrument, bars) => {
    const dates = bars.map(({ start }) => utcDate(start));
    const [first = '', last = ''] = [dates[0], dates.at(-1)];
    expect(dates.length).toBeGreaterThan(400);
    expect(datesOf(instrument, first, `${last}T23:59Z`)).toEqual(dates);
  });

  test('every real minute of Shanghai lies within a segment', () => {
    const outside = pufaBars('1m').filter(({ start, end }) => {
      return !china.currentOrNext(start).segments.some(({ open, close }) => open <= start && end <= close);
    });
    expect(outside).toEqual([]);
  });

  test.each([
    ['a New Year on Saturday is not observed', '2021-12-31'],
    ['Juneteenth before 2022', '2021-06-18'],
    ['the Friday after a 4 July on Thursday', '2002-07-05'],
    ['the third Monday of January before 1998', '1997-01-20'],
    ['the day before a New Year on Saturday', '1993-12-31'],
  ])('a session on %s', (_, date) => expect(datesOf(SPX, date, `${date}T23:00Z`)).toEqual([date]));

  test.each([
    ['New Year on Sunday moves to Monday', '2023-01-02'],
    ['Juneteenth from 2022, on Sunday moved to Monday', '2022-06-20'],
    ['Juneteenth on Saturday moved to Friday', '2027-06-18'],
    ['4 July on Saturday moved to Friday', '2026-07-03'],
    ['Christmas on Saturday moved to Friday', '2021-12-24'],
    ['Good Friday', '2024-03-29'],
    ['Memorial Day', '2024-05-27'],
    ['a day of mourning', '2025-01-09'],
    ['a storm', '2012-10-30'],
    ['a day of mourning of 1994', '1994-04-27'],
    ['Christmas of 1993, on Saturday moved to Friday', '1993-12-24'],
    ['Independence Day of 1992, on Saturday moved to Friday', '1992-07-03'],
    ['Good Friday of 1990', '1990-04-13'],
    ['Martin Luther King\u2019s day, the first of its kind', '1998-01-19'],
  ])('none on %s', (_, date) => expect(datesOf(SPX, date, `${date}T23:00Z`)).toEqual([]));
});

describe('sessions', () => {
  test('New York closed early in the 1990s by the rules of that time', () => {
    const close = (date: string) => hours(SPX, date)[1]?.slice(11);
    const days = [
      '1990-12-24',
      '1992-11-27',
      '1993-11-26',
      '1993-07-02',
      '1994-07-01',
      '1995-07-03',
      '1996-07-05',
      '1999-12-31',
    ];
    expect(days.map(close)).toEqual(['19:00', '19:00', '18:00', '20:00', '20:00', '17:00', '17:00', '18:00']);
    expect(['1996-07-03', '1994-07-05', '1991-11-29'].map(close)).toEqual(['20:00', '20:00', '21:00']);
  });

  test.each([
    ['1990', 253],
    ['1992', 254],
    ['1994', 252],
    ['1996', 254],
    ['1998', 252],
    ['1999', 252],
  ])('New York had the sessions of %s', (year, count) => {
    expect(datesOf(SPX, `${year}-01-01`, `${year}-12-31T23:00Z`)).toHaveLength(count);
    expect(us.isGeneric(at(`${year}-06-01`))).toBe(false);
  });

  test('New York follows its clock through both changes', () => {
    expect(hours(SPX, '2024-03-08')).toEqual(['2024-03-08T14:30', '2024-03-08T21:00']);
    expect(hours(SPX, '2024-03-11')).toEqual(['2024-03-11T13:30', '2024-03-11T20:00']);
    expect(hours(SPX, '2024-11-01')).toEqual(['2024-11-01T13:30', '2024-11-01T20:00']);
    expect(hours(SPX, '2024-11-04')).toEqual(['2024-11-04T14:30', '2024-11-04T21:00']);
  });

  test('Shanghai has a lunch break that is no trading time', () => {
    expect(hours(PUFA, '2024-06-17')).toEqual([
      '2024-06-17T01:30',
      '2024-06-17T03:30',
      '2024-06-17T05:00',
      '2024-06-17T07:00',
    ]);
    expect(china.currentOrNext(at('2024-06-17')).length).toBe(4 * HOUR);
  });

  test.each(['2023-11-24', '2024-07-03', '2019-07-03', '2024-12-24', '2002-07-05', '2003-12-26'])(
    '%s closes at 13:00',
    (date) => expect(us.currentOrNext(at(date)).length).toBe(3.5 * HOUR),
  );

  test.each(['2002-07-03', '2004-12-23', '2020-07-02', '2020-12-23', '2003-12-24T22:00Z'])(
    '%s is not followed by a wrong early close',
    (date) => {
      const expected = date.startsWith('2003') ? 3.5 * HOUR : 6.5 * HOUR;
      expect(us.currentOrNext(at(date)).length).toBe(expected);
    },
  );

  test('crypto trades through every UTC day', () => {
    expect(crypto.currentOrNext(at('2024-12-25T12:00Z'))).toEqual({
      open: at('2024-12-25'),
      close: at('2024-12-26'),
      length: DAY,
      date: '2024-12-25',
      segments: [{ open: at('2024-12-25'), close: at('2024-12-26') }],
    });
  });
});

describe('an unknown calendar', () => {
  test('an unknown venue has weekdays, flagged', () => {
    expect(unknown.isGeneric(at('2024-12-25'))).toBe(true);
    expect(unknown.sessions(at('2024-12-23'), at('2024-12-30')).map(({ open }) => utcDate(open))).toEqual(
      ['23', '24', '25', '26', '27'].map((day) => `2024-12-${day}`),
    );
  });

  test('China beyond its table has weekdays, flagged from the first local minute; within it, none is', () => {
    expect([at('2026-12-31T15:59Z'), at('2026-12-31T16:00Z')].map(china.isGeneric)).toEqual([false, true]);
    expect(datesOf(PUFA, '2027-10-01', '2027-10-05')).toEqual(['2027-10-01', '2027-10-04']);
    expect(china.isGeneric(at('2027-01-01'))).toBe(true);
    expect(china.isGeneric(at('2026-12-31'))).toBe(false);
    expect(china.isGeneric(at('1999-01-01'))).toBe(false);
  });

  test('crypto is never flagged, the United States beyond what the exchanges have announced', () => {
    const isFlagged = ['1989-12-31', '2000-01-03', '2028-12-31', '2029-01-02'].map((date) => us.isGeneric(at(date)));
    expect([crypto.isGeneric(at('1980-01-01')), ...isFlagged]).toEqual([false, true, false, false, true]);
  });
});

describe('counting', () => {
  test('the first session from its own open is itself, a millisecond later the next', () => {
    const { open } = us.currentOrNext(at('2024-03-08'));
    expect(us.nthFrom(open, 1).open).toBe(open);
    expect(utcDate(us.nthFrom(open + 1, 1).open)).toBe('2024-03-11');
  });

  test('sessions are counted over years', () => {
    expect(utcDate(us.nthFrom(at('2023-12-29'), 254).open)).toBe('2025-01-02');
    expect(utcDate(us.nthBefore(at('2025-01-02'), 253).open)).toBe('2023-12-29');
  });

  test('forward and back meet', () => {
    fc.assert(
      fc.property(anyCalendar, instant, fc.integer({ min: 1, max: 600 }), (calendar, t, n) => {
        const session = calendar.nthFrom(t, n);
        expect(session.open).toBeGreaterThanOrEqual(t);
        expect(calendar.nthBefore(session.close, n).open).toBe(calendar.nthFrom(t, 1).open);
      }),
    );
  });

  test('the sessions of a span are those that nthFrom counts', () => {
    fc.assert(
      fc.property(anyCalendar, instant, fc.integer({ min: 1, max: 300 }), (calendar, t, n) => {
        const [first, last] = [calendar.nthFrom(t, 1), calendar.nthFrom(t, n)];
        const sessions = calendar.sessions(first.open, last.close);
        expect(sessions).toHaveLength(n);
        expect(sessions.at(-1)).toEqual(last);
      }),
    );
  });

  test('a session is current from its open to just before its close', () => {
    fc.assert(
      fc.property(anyCalendar, instant, (calendar, t) => {
        const session = calendar.nthFrom(t, 1);
        expect(calendar.currentOrNext(session.open)).toEqual(session);
        expect(calendar.currentOrNext(session.close - 1)).toEqual(session);
        expect(calendar.currentOrNext(session.close).open).toBeGreaterThanOrEqual(session.close);
      }),
    );
  });
});

test('a calendar is known up to its last day at the venue, whatever the day of UTC is', () => {
  const left = (now: string) => {
    const found = knownCalendars(at(now)).filter(({ venues }) => venues.includes('ASX') || venues.includes('TSX'));
    return found.map(({ venues, days_left }) => [venues[0], days_left]);
  };
  expect(left('2026-12-31T12:59Z')).toEqual([
    ['TSX', 0],
    ['ASX', 0],
  ]);
  expect(left('2026-12-31T13:00Z')).toEqual([
    ['TSX', 0],
    ['ASX', -1],
  ]);
  const all = knownCalendars(at('2026-11-29'));
  expect(all.length).toBeGreaterThan(13);
  expect(all.at(-1)).toMatchObject({ venues: expect.arrayContaining(['NYSE', 'ARCA']), until: '2028-12-31' });
});

test('no calendar searches for ever: what is no instant before the year 10,000 is refused', () => {
  for (const calendar of [us, china, unknown]) {
    for (const instant of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, at('+275760-09-12')]) {
      expect(() => calendar.currentOrNext(instant)).toThrow(RangeError);
      expect(() => calendar.nthFrom(instant, 1)).toThrow(RangeError);
      expect(() => calendar.nthBefore(instant, 1)).toThrow(RangeError);
      expect(() => calendar.sessions(at('2026-01-01'), instant)).toThrow(RangeError);
    }
  }
});
