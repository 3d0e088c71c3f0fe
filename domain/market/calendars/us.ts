import { DAY } from '../../time.ts';
import { type DayNumber, dayNumber, type VenueHours, weekday } from './venue-calendar.ts';

const [SUNDAY, MONDAY, THURSDAY, SATURDAY] = [0, 1, 4, 6];

/** Days on which the exchanges were closed besides their holidays. */
const SPECIAL_CLOSURES = [
  '1994-04-27',
  '2001-09-11',
  '2001-09-12',
  '2001-09-13',
  '2001-09-14',
  '2004-06-11',
  '2007-01-02',
  '2012-10-29',
  '2012-10-30',
  '2018-12-05',
  '2025-01-09',
].map(dayNumber);

/** Before 2013 a 4 July on a Thursday shortened the 5th instead of the 3rd; others were announced for one year. */
const OTHER_EARLY_CLOSES = ['1996-07-05', '1997-12-26', '1999-12-31', '2002-07-05', '2003-12-26'].map(dayNumber);
const FULL_AFTER_ALL = ['1996-07-03', '2002-07-03'].map(dayNumber);

const EARLY_CLOSE = 13 * 60;

/**
 * Until 1992 early closes were at 14:00: on Christmas Eve, and in 1992 on the day after Thanksgiving. On 8 January 1996
 * snow shortened the session at both ends, of which only the close can be stated here.
 */
const CLOSES_AT_TWO = ['1990-12-24', '1991-12-24', '1992-11-27', '1992-12-24', '1996-01-08'].map(dayNumber);

/** The core session of the United States' stock exchanges, 09:30-16:00 New York (evaluation.md section 8). */
export const US: VenueHours = {
  name: 'us',
  venues: ['NYSE', 'NASDAQ', 'AMEX', 'ARCA', 'OTC'],
  time_zone: 'America/New_York',
  segments: [[9 * 60 + 30, 16 * 60]],
  // From 2000 on checked against real trading dates; the 1990s follow the exchange's rules of that time.
  known_years: { from: 1990, to: Number.POSITIVE_INFINITY },
  closed: (year) => new Set([...holidays(year), ...SPECIAL_CLOSURES]),
  early: (year) =>
    new Map([
      ...earlyCloses(year).map((day) => [day, EARLY_CLOSE] as const),
      ...CLOSES_AT_TWO.map((day) => [day, EARLY_CLOSE + 60] as const),
    ]),
};

function holidays(year: number): DayNumber[] {
  return [
    newYear(year),
    ...(year >= 1998 ? [nth(3, MONDAY, year, 1)] : []), // Martin Luther King
    nth(3, MONDAY, year, 2), // Presidents
    easter(year) - 2, // Good Friday
    nth(1, MONDAY, year, 6) - 7, // Memorial: the last Monday of May
    ...(year >= 2022 ? [observed(date(year, 6, 19))] : []), // Juneteenth
    observed(date(year, 7, 4)),
    nth(1, MONDAY, year, 9), // Labor
    thanksgiving(year),
    observed(date(year, 12, 25)),
  ];
}

/**
 * The day after Thanksgiving; 3 July and 24 December when they are sessions, which they never are on a Friday: the
 * holiday after it is then observed on it; and the days in the table.
 */
function earlyCloses(year: number): DayNumber[] {
  const july = year >= 1995 ? [date(year, 7, 3)] : [];
  const winter = year >= 1993 ? [thanksgiving(year) + 1, date(year, 12, 24)] : [];
  return [...[...july, ...winter].filter((day) => !FULL_AFTER_ALL.includes(day)), ...OTHER_EARLY_CLOSES];
}

/** On a Sunday it moves to Monday, on a Saturday it is not observed at all. */
function newYear(year: number): DayNumber {
  const day = date(year, 1, 1);
  return weekday(day) === SUNDAY ? day + 1 : day;
}

function observed(day: DayNumber): DayNumber {
  if (weekday(day) === SATURDAY) return day - 1;
  return weekday(day) === SUNDAY ? day + 1 : day;
}

function thanksgiving(year: number): DayNumber {
  return nth(4, THURSDAY, year, 11);
}

function nth(n: number, wanted: number, year: number, month: number): DayNumber {
  const first = date(year, month, 1);
  return first + ((wanted - weekday(first) + 7) % 7) + 7 * (n - 1);
}

/** The anonymous Gregorian computus. */
function easter(year: number): DayNumber {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return date(year, Math.floor(sum / 31), (sum % 31) + 1);
}

function date(year: number, month: number, day: number): DayNumber {
  return Date.UTC(year, month - 1, day) / DAY;
}
