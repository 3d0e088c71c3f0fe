import { type BarSize, lengthOf, type RawBar } from '../../../../domain/market/bars.ts';
import type { Calendar } from '../../../../domain/market/calendar.ts';
import {
  contradictingDates,
  contradictingDistance,
  contradictingZone,
  nightTime,
  placeRows,
  rowLength,
  stampShown,
} from '../../../../domain/market/import-witnesses.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND, utcDate } from '../../../../domain/time.ts';
import { localDate } from '../../../../domain/zoned-time.ts';
import { RefusedFile } from './file-text.ts';
import type { PriceFormat } from './price-formats.ts';
import type { PricedRow } from './priced-rows.ts';
import type { ForeignForm, TimedRow } from './read-rows.ts';
import { dateOf, instantIn, isTwice, isZone } from './read-times.ts';

/** The bars of a file in their sessions, and what was decided about their times. */
export interface SpannedRows {
  readonly time_zone: string;
  readonly times: 'start' | 'end' | 'session';
  /** As they stand in the file, each in its session. */
  readonly bars: readonly RawBar[];
  /** Rows that lie in no session of the venue. */
  readonly outside: number;
  /** Left out: they begin before their session. */
  readonly before_open: number;
  /** Left out: they end after their session, in a file with rows outside sessions. */
  readonly after_close: number;
  /** Cut at the end of their session. */
  readonly cut: number;
}

/** @throws RefusedFile where a format does not say its zone, and --tz does not */
function zoneOf(rows: readonly TimedRow[], { time_zone, venue_zone }: ForeignForm, format: PriceFormat): string {
  const named = rows.find(({ time }) => time.zone !== null)?.time.zone;
  if (rows.every(({ time }) => time.offset !== null)) return 'as written';
  if (named != null && !isZone(named))
    throw new RefusedFile(`The file names the zone ${named}, which is unknown here. Send --tz.`);
  if (time_zone === undefined && format.zone === 'ask')
    throw new RefusedFile(`${format.name}: ${format.note}. Send --tz.`);
  return time_zone ?? named ?? format.zone ?? venue_zone;
}

/** Intraday rows; what the calendar and the distance of rows contradict is refused. @throws RefusedFile */
export function intradayRows(priced: readonly PricedRow[], form: ForeignForm, format: PriceFormat): SpannedRows {
  const { calendar, size } = form;
  const dateOnly = priced.find(({ time }) => !time.hasClock);
  if (dateOnly)
    throw new RefusedFile(
      `line ${dateOnly.row.line}: a date alone names no bar of ${size}. Send --size 1d, or rows with times.`,
    );
  const zone = zoneOf(priced, form, format);
  const written = instantsOf(priced, zone);
  const areLastMoments = nameLastMoments(written);
  const times = areLastMoments ? written.map((at) => Math.ceil(at / MINUTE) * MINUTE) : written;
  refuseDistance(size, times, calendar);
  refuseRepeated(priced, times);
  const stamp = stampOf(form, format);
  const shown = areLastMoments ? 'end' : stampShown(calendar, times);
  if (areLastMoments && stamp !== 'end')
    throw new RefusedFile('The times end with 59 seconds: they name the last moments of bars. Send --times end.');
  if (form.time_zone === undefined) refuseNight(calendar, times, stamp, zone);
  if (shown !== null && shown !== stamp) throw otherStamp(shown);
  refuseZone(calendar, times, stamp, zone);
  const lengthAt = rowLength(calendar, times, { stamp, length: lengthOf(size) });
  const bars = priced.map(({ prices }, index) => {
    const at = times[index] ?? 0;
    const length = lengthAt(at);
    const start = stamp === 'start' ? at : at - length;
    return { start, end: start + length, ...prices };
  });
  const { rows, outside, before, after, cut } = placeRows(calendar, bars);
  return { time_zone: zone, times: stamp, bars: rows, outside, before_open: before, after_close: after, cut };
}

/** @throws RefusedFile where neither the form of a file nor --times says what its times name */
function stampOf({ times }: ForeignForm, { stamp = 'start', name, note }: PriceFormat): 'start' | 'end' {
  if (times !== undefined) return times;
  if (stamp === 'ask') throw new RefusedFile(`${name}: ${note}. Send --times start or end.`);
  return stamp;
}

/**
 * Whether times are the last seconds of bars, such as 09:59:59.
 * @throws RefusedFile where they are in the midst of minutes, as those of trades and quotes are
 */
function nameLastMoments(times: readonly Millis[]): boolean {
  const share = (holds: (at: Millis) => boolean) => times.filter(holds).length / Math.max(1, times.length);
  if (share((at) => at % MINUTE >= 59 * SECOND) > NEARLY_ALL) return true;
  if (share((at) => at % MINUTE !== 0) > 1 - NEARLY_ALL)
    throw new RefusedFile('Many times are no whole minutes, as those of trades and quotes are. Send bars.');
  return false;
}

const NEARLY_ALL = 0.9;

/** The calendar contradicts the zone of the times. @throws RefusedFile */
function refuseZone(calendar: Calendar, times: readonly Millis[], stamp: 'start' | 'end', zone: string): void {
  const off = contradictingZone(calendar, times, stamp);
  if (off !== null)
    throw new RefusedFile(
      `With times ${zone === 'as written' ? zone : `of ${zone}`} many rows are outside every session; ${spanText(Math.abs(off))} ${off > 0 ? 'later' : 'earlier'} nearly all are in one: the times are those of another zone. Send --tz.`,
    );
}

/** Times whose zone no file and no option states. @throws RefusedFile */
function refuseNight(calendar: Calendar, times: readonly Millis[], stamp: 'start' | 'end', zone: string): void {
  const night = zone === 'as written' ? null : nightTime(calendar, times);
  if (night === null) return;
  refuseZone(calendar, times, stamp, zone);
  throw new RefusedFile(
    `With times of ${zone} rows are in the night of the venue (${new Date(night).toISOString()}): the times may be those of another zone. Send --tz, with ${zone} if they are its own.`,
  );
}

/** A correction of a row or two is usual; many other prices for the same times are those of something else. */
function refuseRepeated(rows: readonly PricedRow[], times: readonly (Millis | undefined)[]): void {
  const seen = new Map<Millis, PricedRow>();
  const repeated = rows.flatMap((row, index) => {
    const at = times[index];
    const before = at === undefined ? undefined : seen.get(at);
    if (at !== undefined) seen.set(at, row);
    return before && !hasSamePrices(before, row) ? [[before, row] as const] : [];
  });
  const [first] = repeated;
  if (!first || repeated.length <= Math.max(3, 0.02 * rows.length)) return;
  throw new RefusedFile(
    `${repeated.length} rows have the time of another row and other prices (lines ${first[0].row.line} and ${first[1].row.line}): ` +
      'several instruments or tables in one file, or a clock of 12 hours without AM and PM. Send one series, with whole times.',
  );
}

function hasSamePrices({ prices: a }: PricedRow, { prices: b }: PricedRow): boolean {
  return a.open === b.open && a.high === b.high && a.low === b.low && a.close === b.close;
}

function otherStamp(shown: 'start' | 'end'): RefusedFile {
  const seen =
    shown === 'end'
      ? 'No time is the open of a session, and every session has a time at its close: the times name the ends of bars'
      : 'Every session has a time at its open, and none at its close: the times name the starts of bars';
  return new RefusedFile(`${seen}. Send --times ${shown}; or, if the hours are those of another zone, --tz.`);
}

function refuseDistance(size: BarSize, times: readonly Millis[], calendar: Calendar): void {
  const distance = contradictingDistance(size, times, calendar);
  if (distance === null) return;
  const fitting = (['1m', '5m', '1h', '1d'] as const).find((each) => lengthOf(each) === distance);
  const send = fitting ? `Send --size ${fitting}` : 'Send bars of 1m, 5m, 1h or 1d';
  throw new RefusedFile(
    `The rows, or those of a part, are mostly ${spanText(distance)} apart, which are no bars of ${size}. ${send}, each size in a file of its own.`,
  );
}

function spanText(span: Millis): string {
  const [unit, name] = span >= DAY ? [DAY, 'days'] : span >= HOUR ? [HOUR, 'hours'] : [MINUTE, 'minutes'];
  return `${Number((span / unit).toFixed(2))} ${name}`;
}

/**
 * The instants of the rows. Local times that the clocks show twice are taken in the order of the file; one alone is the
 * first.
 */
function instantsOf(rows: readonly TimedRow[], zone: string): readonly Millis[] {
  const twice = rows.map(({ time }) => time.offset === null && isTwice(zone, time.local));
  const [first, last] = [rows.at(0), rows.at(-1)];
  const isDescending = first !== undefined && last !== undefined && first.time.local > last.time.local;
  const seen = new Map<Millis, number[]>();
  for (const [index, { time }] of rows.entries())
    if (twice[index]) seen.set(time.local, [...(seen.get(time.local) ?? []), index]);
  const laterOnes = new Set([...seen.values()].flatMap((places) => laterOf(places, rows, isDescending)));
  const times = rows.map(({ row, time }, index) => {
    const at = time.offset === null ? instantIn(zone, time.local, laterOnes.has(index)) : time.local - time.offset;
    if (at === null)
      throw new RefusedFile(
        `line ${row.line}: the clocks of ${zone} skip this time. Name the zone of the file with --tz.`,
      );
    return at;
  });
  refuseUnsteady(rows, times, twice, isDescending);
  return times;
}

function laterOf(places: readonly number[], rows: readonly TimedRow[], isDescending: boolean): readonly number[] {
  const [one, other, ...more] = places;
  if (one === undefined || other === undefined) return [];
  if (more.length > 0) throw twiceProblem(rows[one], rows[other]);
  return [isDescending ? one : other];
}

function refuseUnsteady(
  rows: readonly TimedRow[],
  times: readonly Millis[],
  twice: readonly boolean[],
  isDescending: boolean,
): void {
  const at = times.findIndex((time, index) => {
    const before = times[index - 1];
    return twice[index] && twice[index - 1] && before !== undefined && (isDescending ? time > before : time < before);
  });
  if (at > 0) throw twiceProblem(rows[at - 1], rows[at]);
}

function twiceProblem(one: TimedRow | undefined, other: TimedRow | undefined): RefusedFile {
  return new RefusedFile(
    `lines ${one?.row.line} and ${other?.row.line} have times that the clocks show twice, in no steady order. Send times with an offset.`,
  );
}

/** Daily rows in their sessions; of a coin, UTC days. */
export function dailyRows(priced: readonly PricedRow[], form: ForeignForm, format: PriceFormat): SpannedRows {
  const { calendar } = form;
  const stamp = calendar.continuous ? stampOf(form, format) : (form.times ?? 'start');
  const zone = priced.some(({ time }) => time.hasClock) ? zoneOf(priced, form, format) : dayZoneOf(form, format);
  refuseDistance(
    '1d',
    priced.map(({ time }) => time.local),
    calendar,
  );
  const reading = calendar.continuous
    ? utcDays(priced, zone, stamp)
    : sessionDates(priced, { ...form, times: stamp }, zone);
  refuseRepeated(priced, reading);
  const off = contradictingDates(calendar, reading);
  if (off !== null)
    throw new RefusedFile(
      `Many rows are on days without a session, and one day ${off > 0 ? 'later' : 'earlier'} nearly all are on days with one: the dates are not those of the sessions. Correct them${off > 0 ? '' : ', or send --times end if they name the ends of days'}.`,
    );
  const bars = priced.flatMap(({ prices }, index) => {
    const date = reading[index];
    const session = date === undefined ? undefined : calendar.onDate(utcDate(date));
    return session ? [{ start: session.open, end: session.close, ...prices }] : [];
  });
  return {
    time_zone: zone,
    times: stamp === 'end' ? 'end' : 'session',
    bars,
    outside: priced.length - bars.length,
    before_open: 0,
    after_close: 0,
    cut: 0,
  };
}

/** Dates alone name sessions, whatever the zone; days of a coin are those of UTC. */
function dayZoneOf({ calendar, time_zone, venue_zone }: ForeignForm, { zone }: PriceFormat): string {
  const stated = time_zone ?? zone ?? venue_zone;
  if (!calendar.continuous) return stated === 'ask' ? venue_zone : stated;
  if (stated !== 'ask' && instantIn(stated, 0) === 0) return stated;
  throw new RefusedFile(
    `Its days are those of ${stated === 'ask' ? "a broker's server" : stated}, not of UTC: days of another zone; send hours.`,
  );
}

/** A moment that is not midnight UTC is no start of a UTC day. */
function utcDays(rows: readonly PricedRow[], zone: string, stamp: 'start' | 'end'): readonly Millis[] {
  return rows.map(({ row, time }) => {
    const local = time.hasClock && time.offset === null && zone !== 'as written' ? instantIn(zone, time.local) : null;
    const moment = local ?? time.local - (time.offset ?? 0);
    const isLast = moment % DAY >= DAY - SECOND;
    if (isLast && stamp !== 'end')
      throw new RefusedFile(`line ${row.line}: a time such as 23:59:59 names the end of a day. Send --times end.`);
    const at = isLast ? Math.ceil(moment / DAY) * DAY : moment;
    if (at % DAY !== 0)
      throw new RefusedFile(
        `line ${row.line}: a day that begins at ${new Date(at).toISOString()} is a day of another zone; send hours.`,
      );
    return stamp === 'end' ? at - DAY : at;
  });
}

/** The date of each row's session: the one that it names, or that of its moment at the venue; whichever fits the calendar better. */
function sessionDates(rows: readonly PricedRow[], form: ForeignForm, zone: string): readonly Millis[] {
  const shift = form.times === 'end' ? 1 : 0;
  const named = rows.map(({ time }) => dateOf(time.local - shift));
  const moment = rows.map(({ time }) => {
    if (!time.hasClock || (time.offset === null && zone === form.venue_zone)) return dateOf(time.local - shift);
    const at = time.offset === null ? instantIn(zone, time.local) : time.local - time.offset;
    return Date.parse(localDate((at ?? time.local) - shift, form.venue_zone));
  });
  if (named.every((date, index) => date === moment[index])) return named;
  if (form.dates !== undefined) return form.dates === 'named' ? named : moment;
  const outside = (dates: readonly Millis[]) => dates.filter((date) => !form.calendar.onDate(utcDate(date))).length;
  const [without, others] = [outside(named), outside(moment)];
  if (without === others) {
    const [first] = rows;
    throw new RefusedFile(
      `Daily rows with an offset may name a date or a moment (line ${first?.row.line}), and the calendar fits both: send --dates named or moment.`,
    );
  }
  return without < others ? named : moment;
}
