import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../../domain/time.ts';
import { isTimeZone, localToInstant } from '../../../../domain/zoned-time.ts';

/** A time as a file writes it. */
export interface WrittenTime {
  /** The date and clock as written, as if they were UTC. */
  readonly local: Millis;
  /** False for a date alone. */
  readonly hasClock: boolean;
  /** Local time minus UTC, where the text or its form says so; 0 for seconds since 1970. */
  readonly offset: Millis | null;
  /** The zone that the text names. */
  readonly zone: string | null;
}

/** Which of day and month a file writes first, where both are numbers and the year stands last. */
export type DateOrder = 'mdy' | 'dmy';

const CLOCK = String.raw`(\d{1,2})(?::(\d\d)(?::(\d\d)(?:[.,]\d+)?)?)?\s*-?\s*([AaPp][Mm])?`;
const ZONE = String.raw`\s*(Z|z|UTC|GMT|(?:GMT|UTC)?[+-]\d\d(?::?\d\d)?|[A-Z][A-Za-z]+\/[A-Za-z_/]+)?`;
const AFTER = `(?:[Tt ,]+${CLOCK}${ZONE})?$`;

const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${AFTER}`);
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)${AFTER}`);
const MONTH_NAMED = new RegExp(String.raw`^([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})${AFTER}`);
const DAY_NAMED = new RegExp(String.raw`^(\d{1,2})[- ]([A-Za-z]{3,9})[- ](\d{4}|\d\d)${AFTER}`);
const COMPACT = new RegExp(
  String.raw`^(\d{4})(\d\d)(\d\d)(?:[T ]*(\d\d)(\d\d)(\d\d)?(?:\d{3})?|[T ,]+${CLOCK})?${ZONE}$`,
);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The digits of seconds, milli-, micro- and nanoseconds since 1970, for the years 2001 to 2286. */
const EPOCHS: readonly number[] = [10, 13, 16, 19];

/** The date order that a column proves: a part above 12; null where none does, or both do. */
export function provenOrder(texts: readonly string[]): DateOrder | 'both' | null {
  const parts = texts.flatMap((text) => {
    const found = YEAR_LAST.exec(text);
    return found && found[2] !== '.' ? [[Number(found[1]), Number(found[3])] as const] : [];
  });
  const [dayFirst, monthFirst] = [parts.some(([first]) => first > 12), parts.some(([, second]) => second > 12)];
  if (dayFirst && monthFirst) return 'both';
  return dayFirst ? 'dmy' : monthFirst ? 'mdy' : null;
}

/** Whether the texts have dates whose order only the whole file can tell. */
export function needsOrder(texts: readonly string[]): boolean {
  return texts.some((text) => YEAR_LAST.exec(text)?.[2] !== undefined && YEAR_LAST.exec(text)?.[2] !== '.');
}

export function isTimeText(text: string): boolean {
  return readTime(text, 'mdy') !== null || readTime(text, 'dmy') !== null;
}

/** null for what is no time. Dates with dots have the day first. */
export function readTime(text: string, order: DateOrder): WrittenTime | null {
  const digits = /^(\d+)(?:\.0*)?$/.exec(text)?.[1];
  if (digits !== undefined && EPOCHS.includes(digits.length))
    return { local: Number(digits.slice(0, 13).padEnd(13, '0')), hasClock: true, offset: 0, zone: null };
  return compact(text) ?? separated(text, order);
}

/**
 * The abbreviation of a zone after a time, such as `EST` in `2024-01-02 09:30 EST`; null for any other text. Different places
 * mean different clocks by one, and some write one for summer and winter, so that none is read.
 */
export function zoneAbbreviation(text: string): string | null {
  const [, time, zone] = /^(.*\d(?:\s*[AaPp][Mm])?)\s*\(?([A-Z]{2,5})\)?$/.exec(text) ?? [];
  if (time === undefined || zone === undefined || /^[AP]M$/.test(zone)) return null;
  return isTimeText(time) || readClock(time) !== null ? zone : null;
}

/** The clock of a column of its own: `09:30`, `093000`, `9:30 AM`, `0` for midnight. */
export function readClock(text: string): Millis | null {
  if (text === '0') return 0;
  const found = /^(\d{1,2}):?(\d\d)(?::?(\d\d)(?:\.\d+)?)?\s*([AaPp][Mm])?$/.exec(text);
  return found && clockOf(found.slice(1));
}

function compact(text: string): WrittenTime | null {
  // With a dash it is a time of UTC, in FIX and at Interactive Brokers.
  const found = COMPACT.exec(text.replace(/^(\d{8})-(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/, '$1 $2Z'));
  if (!found) return null;
  const [, year, month, day, h, m, s, hour, minute, second, half, zone] = found;
  return timeOf([year, month, day], h === undefined ? [hour, minute, second, half] : [h, m, s], zone);
}

function separated(text: string, order: DateOrder): WrittenTime | null {
  const first = YEAR_FIRST.exec(text);
  if (first) return timeOf([first[1], first[3], first[4]], first.slice(5, 9), first[9]);
  const last = YEAR_LAST.exec(text);
  if (last) {
    const dayFirst = last[2] === '.' || order === 'dmy';
    const [day, month] = dayFirst ? [last[1], last[3]] : [last[3], last[1]];
    return timeOf([last[4], month, day], last.slice(5, 9), last[9]);
  }
  const named = MONTH_NAMED.exec(text);
  if (named) return timeOf([named[3], monthOf(named[1]), named[2]], named.slice(4, 8), named[8]);
  const dayNamed = DAY_NAMED.exec(text);
  return dayNamed && timeOf([dayNamed[3], monthOf(dayNamed[2]), dayNamed[1]], dayNamed.slice(4, 8), dayNamed[8]);
}

function monthOf(name: string | undefined): string {
  return String(MONTHS.indexOf(name?.slice(0, 3).toLowerCase() ?? '') + 1);
}

type Part = string | undefined;

function timeOf([year, month, day]: readonly Part[], clock: readonly Part[], zone: Part): WrittenTime | null {
  const full = Number(year) < 100 ? (Number(year) < 70 ? 2_000 : 1_900) + Number(year) : Number(year);
  const date = Date.UTC(full, Number(month) - 1, Number(day));
  const shown = new Date(date);
  if (shown.getUTCMonth() !== Number(month) - 1 || shown.getUTCDate() !== Number(day) || full < 1900) return null;
  const hasClock = clock[0] !== undefined;
  // `09-05` may be anything; an offset of hours alone follows minutes.
  if (hasClock && clock[1] === undefined && /[+-]\d\d$/.test(zone ?? '')) return null;
  const at = hasClock ? clockOf(clock) : 0;
  return at === null ? null : { local: date + at, hasClock, ...zoneIn(zone) };
}

function clockOf([hour, minute = '0', second = '0', half]: readonly Part[]): Millis | null {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (half !== undefined && (h < 1 || h > 12)) return null;
  const full = half === undefined ? h : (h % 12) + (/p/i.test(half) ? 12 : 0);
  return full < 24 && m < 60 && s < 60 ? full * HOUR + m * MINUTE + s * SECOND : null;
}

function zoneIn(zone: Part): Pick<WrittenTime, 'offset' | 'zone'> {
  if (zone === undefined) return { offset: null, zone: null };
  const [, sign, hours, minutes = '0'] = /([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (hours === undefined) return zone.includes('/') ? { offset: null, zone } : { offset: 0, zone: null };
  return { offset: (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE), zone: null };
}

/**
 * The instant of a local time in a zone: an IANA name, one with hours added (`America/New_York+7h`, the clock of most
 * brokers of MetaTrader), or an offset (`UTC-5`, `+05:30`). Where clocks are set back, the second one if `later`.
 * @returns null for a time that the clocks skip
 */
export function instantIn(zone: string, local: Millis, later = false): Millis | null {
  const { shift, twice } = clockAt(zone, local);
  return shift === null ? null : local + shift + (later && twice ? HOUR : 0);
}

/** Whether the clocks of a zone show the local time twice. */
export function isTwice(zone: string, local: Millis): boolean {
  return clockAt(zone, local).twice;
}

interface ClockReading {
  /** From the local time to the first instant that it names; null where there is none. */
  readonly shift: Millis | null;
  readonly twice: boolean;
}

const readings = new Map<string, ClockReading>();

/** Clocks change on quarters of an hour, so one reading serves all rows of one. */
function clockAt(zone: string, local: Millis): ClockReading {
  const quarter = Math.floor(local / QUARTER) * QUARTER;
  const key = `${zone} ${quarter}`;
  const known = readings.get(key) ?? readClockAt(zone, quarter);
  readings.set(key, known);
  return known;
}

const QUARTER = 15 * MINUTE;

function readClockAt(zone: string, local: Millis): ClockReading {
  const first = firstInstant(zone, local);
  const next = firstInstant(zone, local + HOUR);
  // Where clocks are set back, an hour on the clock takes two.
  const twice = first !== null && next !== null && next - first > HOUR;
  return { shift: first === null ? null : first - local, twice };
}

function firstInstant(zone: string, local: Millis): Millis | null {
  const { name, added } = zoneParts(zone);
  return name === 'UTC' ? local - added : localToInstant(local - added, name);
}

/** Whether the text names a zone as `--tz` takes it. */
export function isZone(text: string): boolean {
  const { name } = zoneParts(text);
  return isTimeZone(name);
}

const ADDED = /^(.*?)([+-])(\d{1,2})(?::?(\d\d))?h?$/;

function zoneParts(zone: string): { readonly name: string; readonly added: Millis } {
  if (!zone.startsWith('Etc/')) {
    const [, base = '', sign, hours, minutes = '0'] = ADDED.exec(zone) ?? [];
    if (hours !== undefined) {
      const added = (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
      return { name: base === '' || base === 'GMT' ? 'UTC' : base, added };
    }
  }
  return { name: zone, added: 0 };
}

/** The start of the day of a local time. */
export function dateOf(local: Millis): Millis {
  return Math.floor(local / DAY) * DAY;
}
