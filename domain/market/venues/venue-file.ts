import { DAY } from '../../time.ts';
import { isTimeZone } from '../../zoned-time.ts';

/** Days since 1970-01-01, a local date without a time. */
export type DayNumber = number;

/** Trading without a pause, in minutes after local midnight. */
export type Part = readonly [open: number, close: number];

/** The parts of an ordinary session from a day on. */
export interface HoursFrom {
  readonly from: DayNumber;
  readonly parts: readonly Part[];
}

/** A day that is no ordinary one: it wins over `closed`, over weekends and over the hours. */
export interface SpecialDay {
  readonly on: DayNumber;
  /** Empty on a day without a session; null for a session whose hours are not known. */
  readonly parts: readonly Part[] | null;
  /**
   * The local date of the announcement, or the day itself where only the event is stated, such as a storm; null where it was
   * announced as the ordinary holidays are.
   */
  readonly learned: DayNumber | null;
}

/** Instruments of a venue with hours of their own. */
export interface VenueLine {
  readonly hours: readonly HoursFrom[];
  readonly members: readonly LineMember[];
}

/** A time in which an instrument is one of a line, both days included; it may have several, which do not overlap. */
export interface LineMember {
  readonly symbol: string;
  readonly from: DayNumber;
  readonly until: DayNumber;
}

/** What is known of a stock venue, or of several with one calendar (securities.md section 6): the content of its file. */
export interface VenueData {
  /** In upper case. The first one names the calendar. */
  readonly names: readonly string[];
  /** Other names of the only venue, each with the suffix that it fixes; null where it fixes none. */
  readonly aliases: ReadonlyMap<string, string | null>;
  /** IANA name. */
  readonly zone: string;
  /** What a symbol here ends with, after a dot: a bare ticker gets the first. Empty: the ticker alone is the symbol. */
  readonly suffixes: readonly string[];
  /** The form of a ticker without its suffix. */
  readonly shape: RegExp;
  /** Shorter numbers get zeros in front, up to so many digits. */
  readonly pad: number;
  /** The currencies of prices, with the unit of each. */
  readonly quotes: Readonly<Record<string, number>>;
  /** The instruments whose move stands for that of the market, the preferred one first. */
  readonly reference: readonly { readonly symbol: string; readonly venue: string }[];
  /** The days whose sessions were announced, both included. The others have every weekday, flagged generic. */
  readonly known: { readonly from: DayNumber; readonly until: DayNumber; readonly source: string };
  readonly hours: readonly HoursFrom[];
  /** By year, the weekdays without a session: `MM-DD`, or `MM-DD..MM-DD` with both ends. */
  readonly closed: Readonly<Record<string, string>>;
  readonly days: readonly SpecialDay[];
  readonly lines: readonly VenueLine[];
}

/** The currencies that are a hundredth of another one, in the spelling with small letters that some sources have. */
export const MINOR_UNITS: Readonly<Record<string, { readonly of: string; readonly spelling: string }>> = {
  GBX: { of: 'GBP', spelling: 'GBp' },
};

/**
 * Reads the file of a venue.
 * @param members the content of the files that its lines name
 * @throws TypeError that names the member and what it must contain
 */
export function venueData(content: unknown, members: Readonly<Record<string, unknown>> = {}): VenueData {
  const file = objectOf(content, 'the file', MEMBERS);
  const hours = hoursOf(file.hours, 'hours');
  const suffixes = texts(file.suffix ?? [], 'suffix', /^[A-Z]{1,3}$/);
  const names = texts(file.venue, 'venue', NAME);
  const known = objectOf(file.known, 'known', ['until', 'source']);
  const data: VenueData = {
    names,
    aliases: aliasesOf(file.aliases ?? [], suffixes),
    zone: check(file.zone, 'zone', 'an IANA name', (zone) => typeof zone === 'string' && isTimeZone(zone)) as string,
    suffixes,
    shape: new RegExp(text(file.shape, 'shape', /^\^/)),
    pad: check(file.pad ?? 0, 'pad', 'a number of digits', Number.isInteger) as number,
    quotes: quotesOf(file.quotes),
    reference: referenceOf(file.reference, names[0] ?? ''),
    known: {
      from: hours[0]?.from ?? 0,
      until: dayOf(known.until, 'known.until'),
      source: text(known.source, 'known.source', /\S/),
    },
    hours,
    closed: closedOf(file.closed),
    days: daysOf(file.days ?? []),
    lines: Object.entries(objectOf(file.lines ?? {}, 'lines')).map(([name, line]) => lineOf(line, name, members)),
  };
  const years = [data.known.from, data.known.until].map((day) => Number(dateOf(day).slice(0, 4)));
  for (let [year = 0, last = 0] = years; year <= last; year += 1) text(data.closed[year], `closed.${year}`, /^/);
  const beyond = data.days.find(({ on }) => on < data.known.from || on > data.known.until);
  if (beyond) throw new TypeError(`days: ${dateOf(beyond.on)} must be a day from hours.0.from to known.until`);
  return data;
}

const MEMBERS = [
  ...['venue', 'aliases', 'zone', 'suffix', 'shape', 'pad', 'quotes', 'reference', 'known'],
  ...['hours', 'closed', 'days', 'lines'],
];

const NAME = /^[A-Z0-9]{1,20}$/;

/** The number of the day `YYYY-MM-DD`. */
export function dayNumber(date: string): DayNumber {
  return Date.parse(date) / DAY;
}

/** The weekdays and weekends of a text such as `01-01 02-17..02-19`, in that year. */
export function closedDays(year: number | string, ranges: string): readonly DayNumber[] {
  return ranges.split(' ').flatMap((range) => {
    if (range === '') return [];
    const [first = '', last = first] = range.split('..');
    const from = dayNumber(`${year}-${first}`);
    return Array.from({ length: dayNumber(`${year}-${last}`) - from + 1 }, (_, index) => from + index);
  });
}

function aliasesOf(sent: unknown, suffixes: readonly string[]): VenueData['aliases'] {
  if (Array.isArray(sent)) return new Map(texts(sent, 'aliases', NAME).map((name) => [name, null]));
  const entries = Object.entries(objectOf(sent, 'aliases'));
  return new Map(
    entries.map(([name, suffix]) => [
      text(name, 'aliases', NAME),
      check(suffix, `aliases.${name}`, `one of ${suffixes}`, (one) => suffixes.includes(one as string)) as string,
    ]),
  );
}

function quotesOf(sent: unknown): VenueData['quotes'] {
  const quotes = objectOf(sent, 'quotes');
  for (const [name, unit] of Object.entries(quotes)) {
    text(name, 'quotes', /^[A-Z]{3}$/);
    const expected = MINOR_UNITS[name] ? 0.01 : 1;
    check(unit, `quotes.${name}`, `the unit ${expected}`, (one) => one === expected);
  }
  check(Object.keys(quotes).length, 'quotes', 'a currency', (count) => Number(count) > 0);
  return quotes as VenueData['quotes'];
}

function referenceOf(sent: unknown, venue: string): VenueData['reference'] {
  if (typeof sent === 'string') return [{ symbol: sent, venue }];
  return list(sent, 'reference').map((each, index) => {
    const at = `reference.${index}`;
    const reference = objectOf(each, at, ['symbol', 'venue']);
    return { symbol: text(reference.symbol, at, /\S/), venue: text(reference.venue, at, NAME) };
  });
}

function hoursOf(sent: unknown, at: string): readonly HoursFrom[] {
  const hours = list(sent, at).map((each, index) => {
    const { from, parts } = objectOf(each, `${at}.${index}`, ['from', 'parts']);
    return { from: dayOf(from, `${at}.${index}.from`), parts: partsOf(parts, `${at}.${index}.parts`) };
  });
  const isAscending = hours.every(({ from }, index) => index === 0 || from > (hours[index - 1]?.from ?? 0));
  check(hours, at, 'hours in the order of their days', () => hours.length > 0 && isAscending);
  check(hours, at, 'a part in each', () => hours.every(({ parts }) => parts.length > 0));
  return hours;
}

function partsOf(sent: unknown, at: string): readonly Part[] {
  const parts = list(sent, at).map((each): Part => {
    const [open, close] = text(each, at, /^\d\d:\d\d-\d\d:\d\d$/).split('-');
    return [minutesOf(open), minutesOf(close)];
  });
  const bounds = parts.flat();
  const isAscending = bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0));
  return check(
    parts,
    at,
    'parts of a day in their order',
    () => isAscending && (bounds.at(-1) ?? 0) <= 24 * 60,
  ) as Part[];
}

function minutesOf(clock = ''): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}

function closedOf(sent: unknown): VenueData['closed'] {
  const closed = objectOf(sent, 'closed');
  for (const [year, ranges] of Object.entries(closed)) {
    const days = closedDays(
      year,
      text(ranges, `closed.${year}`, /^\d\d-\d\d(\.\.\d\d-\d\d)?( \d\d-\d\d(\.\.\d\d-\d\d)?)*$/),
    );
    const isAscending = days.every((day, index) => day > (days[index - 1] ?? 0));
    check(days, `closed.${year}`, 'days of the year in their order', () => isAscending && /^\d{4}$/.test(year));
    for (const day of String(ranges).split(/ |\.\./)) dayOf(`${year}-${day}`, `closed.${year}`);
  }
  return closed as VenueData['closed'];
}

/** An entry states one or more dates, separated by spaces. */
function daysOf(sent: unknown): readonly SpecialDay[] {
  const days = list(sent, 'days').flatMap((each, index) => {
    const at = `days.${index}`;
    const { on, parts, learned, source } = objectOf(each, at, ['on', 'parts', 'learned', 'source']);
    // When a closure became known is a fact of its own: nobody can check it without the announcement.
    if (source !== undefined || learned !== undefined) text(source, `${at}.source`, /\S/);
    return text(on, `${at}.on`, /\S/)
      .split(' ')
      .map((date) => ({
        on: dayOf(date, `${at}.on`),
        parts: parts === null ? null : partsOf(parts, `${at}.parts`),
        learned: learned === undefined ? null : dayOf(learned, `${at}.learned`),
      }));
  });
  const repeated = days.find(({ on }, index) => days.findIndex((day) => day.on === on) < index);
  if (repeated) throw new TypeError(`days: ${dateOf(repeated.on)} must be stated once`);
  const late = days.find(({ on, learned }) => learned !== null && learned > on);
  if (late) throw new TypeError(`days: ${dateOf(late.on)} must not be learned after the day`);
  return days;
}

function lineOf(sent: unknown, name: string, files: Readonly<Record<string, unknown>>): VenueLine {
  const at = `lines.${name}`;
  const line = objectOf(sent, at, ['hours', 'members']);
  const file = text(line.members, `${at}.members`, /\S/);
  const members = list(files[file], file).map((each, index): LineMember => {
    const member = objectOf(each, `${file}: ${index}`, ['symbol', 'from', 'until']);
    return {
      symbol: text(member.symbol, `${file}: ${index}.symbol`, /\S/),
      from: dayOf(member.from, `${file}: ${index}.from`),
      until: member.until === undefined ? Number.POSITIVE_INFINITY : dayOf(member.until, `${file}: ${index}.until`),
    };
  });
  const overlap = overlapOf(members);
  if (overlap)
    throw new TypeError(`${file}: ${overlap.symbol} must leave before ${dateOf(overlap.from)}, when it comes back`);
  return { hours: hoursOf(line.hours, `${at}.hours`), members };
}

/** A period of a member that begins before an earlier one has ended. */
function overlapOf(members: readonly LineMember[]): LineMember | undefined {
  const ordered = members.toSorted((a, b) => (a.symbol === b.symbol ? a.from - b.from : a.symbol < b.symbol ? -1 : 1));
  return ordered.find(({ symbol, from }, at) => {
    const before = ordered[at - 1];
    return before?.symbol === symbol && from <= before.until;
  });
}

function dayOf(sent: unknown, at: string): DayNumber {
  const day = typeof sent === 'string' && /^\d{4}-\d\d-\d\d$/.test(sent) ? dayNumber(sent) : Number.NaN;
  check(sent, at, 'a date such as 2026-12-31', () => !Number.isNaN(day) && dateOf(day) === sent);
  return day;
}

function dateOf(day: DayNumber): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

function texts(sent: unknown, at: string, form: RegExp): readonly string[] {
  return (Array.isArray(sent) ? sent : [sent]).map((each) => text(each, at, form));
}

function text(sent: unknown, at: string, form: RegExp): string {
  return check(
    sent,
    at,
    `a text of the form ${form.source}`,
    (one) => typeof one === 'string' && form.test(one),
  ) as string;
}

function list(sent: unknown, at: string): readonly unknown[] {
  return check(sent, at, 'a list', Array.isArray) as readonly unknown[];
}

/** @param members those that it may have; any where they are left out */
function objectOf(sent: unknown, at: string, members?: readonly string[]): Readonly<Record<string, unknown>> {
  const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  const object = check(sent, at, 'an object', isObject) as Readonly<Record<string, unknown>>;
  const unknown = members && Object.keys(object).find((name) => !members.includes(name));
  if (unknown !== undefined) throw new TypeError(`${at}: ${unknown} is no member; send ${members?.join(', ')}`);
  return object;
}

function check<T>(sent: T, at: string, expected: string, isRight: (sent: unknown) => boolean): T {
  if (isRight(sent)) return sent;
  throw new TypeError(`${at}: ${JSON.stringify(sent)} must be ${expected}`);
}
