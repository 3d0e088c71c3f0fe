import { describe, expect, test } from '@jest/globals';
import { calendarOf, calendarsOf } from '../../../../domain/market/calendars/by-venue.ts';
import { normaliseInstrument } from '../../../../domain/market/instrument.ts';
import { STOCK_VENUES } from '../../../../domain/market/venues/stock-venues.ts';
import { dayNumber } from '../../../../domain/market/venues/venue-file.ts';
import { stockVenue, TABLE_VENUES } from '../../../../domain/market/venues.ts';
import { DAY, HOUR, rfc3339 } from '../../../../domain/time.ts';
import { localDate } from '../../../../domain/zoned-time.ts';
import { at } from '../real-bars.ts';

/** The parts of a session in local time, as the files write them; none on a day without one. */
function hours(venue: string, date: string): string {
  const session = calendarOf({ market: 'stock', venue }).onDate(date);
  return (session?.segments ?? []).map(({ open, close }) => `${clock(open, venue)}-${clock(close, venue)}`).join(' ');
}

function clock(instant: number, venue: string): string {
  const timeZone = stockVenue(venue)?.zone ?? '';
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    instant,
  );
}

/**
 * What packages of calendars have wrong, by the numbers of a list of 40 traps. Nos. 7, 16, 17, 26 and 29 are about bars
 * that sources lack or have too many of, not about sessions; nos. 35 to 40 have tests of their own below.
 */
describe.each([
  ['1, lunar new year of Seoul and Hong Kong', 'KRX', '2024-02-12', ''],
  ['1', 'HKEX', '2024-02-09', '09:30-12:00'],
  ['2, a Saturday in it adds no day', 'KRX', '2026-02-19', '09:00-15:30'],
  ['3, the new year moves the open only', 'KRX', '2024-01-02', '10:00-15:30'],
  ['3, the exam moves both', 'KRX', '2023-11-16', '10:00-16:30'],
  ['4, the exam that moved', 'KRX', '2017-11-16', '10:00-16:30'],
  ['4', 'KRX', '2017-11-23', '10:00-16:30'],
  ['5, the last weekday of the year', 'KRX', '2025-12-31', ''],
  ['5, a temporary holiday', 'KRX', '2024-10-01', ''],
  ['6, new rules of 2026', 'KRX', '2026-05-01', ''],
  ['6', 'KRX', '2026-07-17', ''],
  ['8, the afternoon alone', 'HKEX', '2023-10-09', '14:00-16:00'],
  ['8', 'HKEX', '2020-08-19', '13:30-16:00'],
  ['9, a storm after 2024-09-23 closes nothing', 'HKEX', '2024-11-14', '09:30-12:00 13:00-16:00'],
  ['10, lunch changed twice', 'HKEX', '2010-06-01', '10:00-12:30 14:30-16:00'],
  ['10', 'HKEX', '2011-06-01', '09:30-12:00 13:30-16:00'],
  ['10', 'HKEX', '2012-06-01', '09:30-12:00 13:00-16:00'],
  ['11, a half day has no break', 'HKEX', '2025-12-24', '09:30-12:00'],
  ['12, one hour on a Sunday evening', 'NSE', '2023-11-12', '18:15-19:15'],
  ['12, on a holiday', 'NSE', '2024-11-01', '18:00-19:00'],
  ['13, two parts', 'NSE', '2024-03-02', '09:15-10:00 11:30-12:30'],
  ['13', 'BSE', '2024-05-18', '09:15-10:00 11:30-12:30'],
  ['14, a clearing holiday', 'NSE', '2019-04-01', '09:15-15:30'],
  ['15, shares without derivatives', 'NSE', '2026-08-03', '09:15-15:30'],
  ['18, a make-up Saturday', 'TWSE', '2018-12-22', '09:00-13:30'],
  ['18, none in 2023', 'TWSE', '2023-01-07', ''],
  ['19, settlement only', 'TWSE', '2024-02-06', ''],
  ['20, a typhoon', 'TWSE', '2024-10-31', ''],
  ['21, the law of 2025', 'TWSE', '2025-12-25', ''],
  ['22, no half day', 'TSE', '2024-12-30', '09:00-11:30 12:30-15:30'],
  ['22', 'TSE', '2024-11-01', '09:00-11:30 12:30-15:00'],
  ['22', 'TSE', '2011-11-18', '09:00-11:00 12:30-15:00'],
  ['22', 'TSE', '2011-11-21', '09:00-11:30 12:30-15:00'],
  ['23, between two holidays', 'TSE', '2026-09-22', ''],
  ['24, moved to the Friday', 'LSE', '2022-12-23', '08:00-12:30'],
  ['24, not moved', 'EURONEXT', '2022-12-23', '09:00-17:30'],
  ['24, not moved', 'TSX', '2022-12-23', '09:30-16:00'],
  ['24, the last session', 'XETRA', '2022-12-30', '09:00-14:00'],
  ['25, not in 2022', 'ASX', '2022-12-23', '10:00-16:00'],
  ['25', 'ASX', '2023-12-22', '10:00-14:10'],
  ['27, one calendar', 'EURONEXT', '2024-12-31', '09:00-14:05'],
  ['28, closed on 24 December', 'XETRA', '2024-12-24', ''],
  ['28, Whit Monday from 2022', 'XETRA', '2022-06-06', '09:00-17:30'],
  ['28', 'XETRA', '2021-05-24', ''],
  ['30, a city holiday', 'SIX', '2024-04-15', '09:00-17:30'],
  ['30, Berchtold', 'SIX', '2024-01-02', ''],
  ['31, Christmas on a Saturday', 'LSE', '2021-12-28', ''],
  ['31, on a Sunday', 'TSX', '2022-12-27', ''],
  ['32, Easter Monday', 'TSX', '2024-04-01', '09:30-16:00'],
  ['32, 30 September', 'TSX', '2024-09-30', '09:30-16:00'],
  ['32, Family Day', 'TSX', '2024-02-19', ''],
  ['33, the late May holiday moved', 'LSE', '2022-05-30', '08:00-16:30'],
  ['33', 'LSE', '2020-05-04', '08:00-16:30'],
  ['33', 'LSE', '2020-05-08', ''],
  ['34, no Anzac Monday', 'ASX', '2026-04-27', '10:00-16:00'],
  ['34, but in 2010', 'ASX', '2010-04-26', ''],
])('trap %s: %s %s', (_, venue, date, expected) => {
  test(`is ${expected || 'closed'}`, () => expect(hours(venue, date)).toBe(expected));
});

const WITH_FOREIGN = STOCK_VENUES.flatMap(({ names, known }) => names.map((name) => [name, known] as const));

test.each(WITH_FOREIGN)(
  '35 and 36: %s is flagged outside the days that it announced, whatever is asked for',
  (venue, known) => {
    const calendar = calendarOf({ market: 'stock', venue });
    const noon = (day: number) => day * DAY + 12 * HOUR;
    const days = [known.from - 2, known.from + 1, known.until - 1, known.until + 2];
    expect(days.map((day) => calendar.isGeneric(noon(day)))).toEqual([true, false, false, true]);
    const weekdays = calendar.sessions(noon(known.until), noon(known.until + 20)).map(({ date }) => dayNumber(date));
    expect(weekdays.filter((day) => day >= known.until + 4 && day < known.until + 18)).toHaveLength(10);
  },
);

describe('37: the date of a session is that of the venue', () => {
  test.each([
    ['2024-04-05', '2024-04-04T23:00:00.000Z'],
    ['2024-04-08', '2024-04-08T00:00:00.000Z'],
    ['2024-10-04', '2024-10-04T00:00:00.000Z'],
    ['2024-10-08', '2024-10-07T23:00:00.000Z'],
  ])('Sydney on %s opens at %s', (date, open) => {
    const session = calendarOf({ market: 'stock', venue: 'ASX' }).onDate(date);
    expect([session?.date, session && rfc3339(session.open)]).toEqual([date, open]);
  });

  test.each([
    ['LSE', '2024-03-28', '08:00'],
    ['LSE', '2024-04-02', '07:00'],
    ['NYSE', '2024-03-08', '14:30'],
    ['NYSE', '2024-03-11', '13:30'],
    ['XETRA', '2024-10-25', '07:00'],
    ['XETRA', '2024-10-28', '08:00'],
  ])('%s on %s opens at %s UTC, before and after its clocks change', (venue, date, time) => {
    const open = calendarOf({ market: 'stock', venue }).onDate(date)?.open ?? 0;
    expect(rfc3339(open).slice(11, 16)).toBe(time);
  });

  test.each(WITH_FOREIGN)('%s, on every known day', (venue, { until }) => {
    const zone = stockVenue(venue)?.zone ?? '';
    const sessions = calendarOf({ market: 'stock', venue }).sessions(at('2012-01-01'), (until + 400) * DAY);
    const wrong = sessions.filter(({ date, open, close }) =>
      [open, close - 1].some((end) => localDate(end, zone) !== date),
    );
    expect(wrong).toEqual([]);
    expect(sessions.length).toBeGreaterThan(3_600);
  });

  test('the first session of Sydney in an unknown year opens on the last UTC day before it', () => {
    const calendar = calendarOf({ market: 'stock', venue: 'ASX' });
    const session = calendar.onDate('2027-01-01');
    expect(session && rfc3339(session.open)).toBe('2026-12-31T23:00:00.000Z');
    expect(calendar.currentOrNext(at('2026-12-31T23:30Z'))).toEqual(session);
    expect(calendar.nthFrom(at('2026-12-31T12:00Z'), 1)).toEqual(session);
    expect(calendar.nthBefore(at('2027-01-01T05:00Z'), 1)).toEqual(session);
  });
});

function identity(venue: string, symbol: string, quote_currency: string) {
  return normaliseInstrument({ market: 'stock', symbol, venue, asset_class: 'spot', quote_currency }, TABLE_VENUES);
}

test.each([
  ['GBp', 'GBX'],
  ['GBX', 'GBX'],
  ['gbx', 'GBX'],
  ['GBP', 'GBP'],
  ['gbp', 'GBP'],
])('38: %s at LSE is %s', (sent, quote_currency) => {
  expect(identity('LSE', 'VOD', sent)).toMatchObject({ symbol: 'VOD.L', quote_currency });
});

test.each([
  ['HKEX', '700', '0700.HK'],
  ['KRX', '005930', '005930.KS'],
  ['TWSE', '00878', '00878.TW'],
  ['TSE', '130a', '130A.T'],
])('39: %s %s is %s', (venue, sent, symbol) => {
  expect(identity(venue, sent, Object.keys(stockVenue(venue)?.quotes ?? {})[0] ?? '')).toMatchObject({ symbol });
});

describe('40: what was learned late', () => {
  const hongKong = { market: 'stock', venue: 'HKEX' } as const;

  test('is unknown to a plan of the day before, and known to one of that day', () => {
    const before = calendarOf(hongKong, at('2023-08-30T15:59Z'));
    expect(before.onDate('2023-09-01')?.length).toBe(5.5 * HOUR);
    expect(before.learned_until).toBe(at('2023-08-30T16:00Z'));
    expect(calendarOf(hongKong, at('2023-08-30T16:00Z')).onDate('2023-09-01')).toBeUndefined();
  });

  test('is known to every grade', () => {
    expect(calendarOf(hongKong).onDate('2023-09-01')).toBeUndefined();
    expect(calendarOf(hongKong).learned_until).toBe(Number.POSITIVE_INFINITY);
    expect(calendarOf(hongKong, at('2026-11-29'))).toBe(calendarOf(hongKong));
  });

  test('is what the exchanges said: an election of Mumbai three days before, a mourning of Sydney nine days', () => {
    const known = (venue: string, date: string, at: string) =>
      calendarOf({ market: 'stock', venue }, Date.parse(at)).onDate(date) === undefined;
    expect(['2026-01-11T18:29Z', '2026-01-11T18:30Z'].map((at) => known('NSE', '2026-01-15', at))).toEqual([
      false,
      true,
    ]);
    expect(['2022-09-12T13:59Z', '2022-09-12T14:00Z'].map((at) => known('ASX', '2022-09-22', at))).toEqual([
      false,
      true,
    ]);
  });

  test('is no closure of the holidays that were announced before the year', () => {
    const early = calendarOf(hongKong, at('2023-08-30'));
    expect([early.onDate('2023-10-02'), early.onDate('2023-10-23')]).toEqual([undefined, undefined]);
  });
});

test('12: a session without known hours has the usual ones, flagged; the days around it are not', () => {
  const calendar = calendarOf({ market: 'stock', venue: 'NSE' });
  expect(hours('NSE', '2026-11-08')).toBe('09:15-15:30');
  const isFlagged = ['2026-11-07T18:29Z', '2026-11-07T18:30Z', '2026-11-08T18:29Z', '2026-11-08T18:30Z'];
  expect(isFlagged.map((instant) => calendar.isGeneric(at(instant)))).toEqual([false, true, true, false]);
});

test('15: a share with derivatives trades until 15:15 while it is one of the line', () => {
  const nse = stockVenue('NSE');
  if (!nse) throw new Error('NSE is a venue');
  const member = { symbol: 'RELIANCE.NS', from: dayNumber('2026-08-01'), until: dayNumber('2026-09-30') };
  const calendars = calendarsOf({ ...nse, lines: nse.lines.map((line) => ({ ...line, members: [member] })) });
  const closes = (symbol: string) =>
    ['2026-07-31', '2026-08-03', '2026-09-30', '2026-10-01'].map((date) =>
      clock(calendars(symbol)(Number.POSITIVE_INFINITY).onDate(date)?.close ?? 0, 'NSE'),
    );
  expect(closes('RELIANCE.NS')).toEqual(['15:30', '15:15', '15:15', '15:30']);
  expect(closes('WIPRO.NS')).toEqual(['15:30', '15:30', '15:30', '15:30']);
  expect(calendars('WIPRO.NS')).toBe(calendars());
});

test('15: a share that leaves the line and comes back closes by it in each of its periods', () => {
  const nse = stockVenue('NSE');
  if (!nse) throw new Error('NSE is a venue');
  const period = (from: string, until: string) => {
    const last = until === '' ? Number.POSITIVE_INFINITY : dayNumber(until);
    return { symbol: 'RELIANCE.NS', from: dayNumber(from), until: last };
  };
  const members = [period('2026-10-05', '2026-10-09'), period('2026-08-01', '2026-08-07'), period('2026-11-02', '')];
  const calendars = calendarsOf({ ...nse, lines: nse.lines.map((line) => ({ ...line, members })) });
  const dates = ['2026-08-03', '2026-08-10', '2026-10-01', '2026-10-05', '2026-10-12', '2026-11-03'];
  const closes = dates.map((date) =>
    clock(calendars('RELIANCE.NS')(Number.POSITIVE_INFINITY).onDate(date)?.close ?? 0, 'NSE'),
  );
  expect(closes).toEqual(['15:15', '15:30', '15:30', '15:15', '15:30', '15:15']);
});
