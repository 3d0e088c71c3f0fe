import type { BarSize, RawBar } from '../../../../domain/market/bars.ts';
import { lengthOf } from '../../../../domain/market/bars.ts';
import type { Calendar } from '../../../../domain/market/calendar.ts';
import { contradictingDistance, placeRows, stampShown } from '../../../../domain/market/import-witnesses.ts';
import { DAY, HOUR, MINUTE, type Millis, utcDate } from '../../../../domain/time.ts';
import { localDate } from '../../../../domain/zoned-time.ts';
import { type Column, type Columns, columnsOf, numberStyle, readNumber } from './columns.ts';
import { closestFormats, formatOf, type PriceFormat } from './price-formats.ts';
import { RefusedFile, type Row, readTable, type Table } from './read-table.ts';
import {
  type DateOrder,
  dateOf,
  instantIn,
  isTwice,
  isZone,
  needsOrder,
  provenOrder,
  readClock,
  readTime,
  type WrittenTime,
} from './read-times.ts';

/** How a file of somebody else's is to be read; what is undefined the file, its format or the calendar decides. */
export interface ForeignForm {
  readonly size: BarSize;
  /** The symbol of the instrument, normalised. */
  readonly symbol: string;
  readonly calendar: Calendar;
  /** The zone of the venue, for times without an offset. */
  readonly venue_zone: string;
  readonly time_zone?: string | undefined;
  /** Whether a time names the start of its bar or the end. */
  readonly times?: 'start' | 'end' | undefined;
  /** Of daily rows with an offset: whether they name a date, or a moment of it. */
  readonly dates?: 'named' | 'moment' | undefined;
  readonly date_order?: DateOrder | undefined;
  /** The instrument to read, where the file has several, by its name there. */
  readonly only?: string | undefined;
  readonly member?: string | undefined;
  readonly already_adjusted?: boolean;
}

export interface ForeignBars {
  /** The name of the format that was recognised. */
  readonly format: string;
  readonly time_zone: string;
  readonly times: 'start' | 'end' | 'session';
  /** Why the prices are adjusted; null where the file does not say so. */
  readonly adjusted: string | null;
  readonly rows: number;
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
  /** Left out: a price is missing, or is no number. */
  readonly without_price: number;
  /** Left out: the row is no row of bars, such as a note at the end. */
  readonly unreadable: number;
  /** Left out: the source marks the day as suspended. */
  readonly suspended: number;
  readonly ignored_columns: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Bars in the forms that brokers, exchanges, data sellers and back-test programs write. A row that cannot be a price is left
 * out and counted. What contradicts the file's own words, the calendar or the distance of its rows is refused.
 * @throws RefusedFile saying what to send instead
 */
export async function readForeignBars(bytes: Uint8Array, form: ForeignForm): Promise<ForeignBars> {
  const table = await readTable(bytes, form.member);
  const found = formatOf(table);
  if (found?.format.refused) throw new RefusedFile(`${found.format.name}. ${found.format.refused}`);
  const columns = found && columnsOf(found.names, form.symbol);
  if (!found || !columns) throw notUnderstood(table, found?.names ?? null);
  const { format } = found;
  const selected = oneInstrument(table, columns, form);
  const timed = timedRows(selected, columns, form, format);
  const priced = pricedRows(timed.rows, columns, form, format);
  const adjusted = adjustmentOf(selected, columns, format);
  refuseAdjusted(adjusted, form);
  const spanned = form.size === '1d' ? dailyRows(priced.rows, form, format) : intradayRows(priced.rows, form, format);
  return {
    format: format.name,
    adjusted,
    rows: selected.length,
    without_price: priced.without_price,
    suspended: priced.suspended,
    unreadable: timed.unreadable,
    ignored_columns: columns.ignored,
    notes: format.note && format.zone !== 'ask' ? [format.note] : [],
    ...spanned,
  };
}

function notUnderstood({ rows }: Table, names: readonly string[] | null): RefusedFile {
  const [first] = rows;
  const shown = names ?? first?.cells ?? [];
  const near = closestFormats(names ?? []).join('; ');
  const what = names
    ? `The file has the columns ${shown.join(', ')}, not a time with open, high, low and close`
    : `The first row names no columns and has no known form: ${shown.join(', ')}`;
  return new RefusedFile(
    `${what}. The closest formats are ${near}. Send a header of date (or datetime), open, high, low, close, volume.`,
  );
}

/** Where a column names instruments, the rows of one. */
function oneInstrument(table: Table, columns: Columns, { only, symbol }: ForeignForm): readonly Row[] {
  if (table.instruments) return oneOfTwoLevels(table, columns, { only, symbol });
  const { instrument } = columns;
  if (instrument === undefined) return table.rows;
  const values = [
    ...new Set(table.rows.map(({ cells }) => cells[instrument.place] ?? '').filter((value) => value !== '')),
  ];
  const chosen = chosenInstrument(values, { only, symbol });
  return chosen === null ? table.rows : table.rows.filter(({ cells }) => cells[instrument.place] === chosen);
}

/** A header of two levels has the columns of each instrument; `columns` found the first of each name. */
function oneOfTwoLevels(table: Table, columns: Columns, wanted: Pick<ForeignForm, 'only' | 'symbol'>): readonly Row[] {
  const { instruments, names } = table;
  const values = [...new Set(instruments?.slice(1).filter((value) => value !== '') ?? [])];
  const chosen = chosenInstrument(values, wanted);
  if (values.length < 2 || chosen === null) return table.rows;
  // The chosen instrument's cells move to the places of the first column of each name.
  const moves = (names ?? []).flatMap((name, place) =>
    instruments?.[place] === chosen ? [[columns.placeOf(name), place] as const] : [],
  );
  return table.rows.map(({ line, cells }) => {
    const moved = [...cells];
    for (const [to, from] of moves) moved[to] = cells[from] ?? '';
    return { line, cells: moved };
  });
}

function chosenInstrument(
  values: readonly string[],
  { only, symbol }: Pick<ForeignForm, 'only' | 'symbol'>,
): string | null {
  const list = `${values.slice(0, 8).join(', ')}${values.length > 8 ? ` and ${values.length - 8} more` : ''}`;
  if (only !== undefined) {
    if (values.includes(only)) return only;
    throw new RefusedFile(`The file has no instrument ${only}; it has ${list}.`);
  }
  if (values.length > 1)
    throw new RefusedFile(`The file has ${values.length} instruments: ${list}. Name one with --only.`);
  const [value] = values;
  if (value === undefined || isNameOf(value, symbol)) return null;
  throw new RefusedFile(`The file is about ${value}, not about ${symbol}. If they are the same, send --only ${value}.`);
}

/** Whether a file's name may mean the symbol: `sh.600000`, `600000.SH`, `BTC/USDT`, `BTCUSDT`, `AAPL.US`, a code without its zeros. */
function isNameOf(value: string, symbol: string): boolean {
  const sent = value.toUpperCase();
  const plain = symbol.replace(/[^A-Z0-9]/g, '');
  const parts = sent.split(/[^A-Z0-9]+/);
  const asNumber = /^\d+$/.test(symbol) && parts.some((part) => /^\d+$/.test(part) && Number(part) === Number(symbol));
  const codes: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };
  const names = [plain, codes[plain] ?? plain];
  const joined = parts.join('');
  return (
    asNumber ||
    names.some(
      (name) =>
        parts.includes(name) ||
        joined === name ||
        (joined.startsWith(name) && /^(USDT?|USDC|EUR|BTC|ETH|CNY)$/.test(joined.slice(name.length))),
    )
  );
}

interface TimedRow {
  readonly row: Row;
  readonly time: WrittenTime;
}

/** Notes at the ends of a file are left out; where more than a few rows have no time, it is not a file of bars. */
function timedRows(rows: readonly Row[], columns: Columns, form: ForeignForm, format: PriceFormat) {
  const text = ({ cells }: Row) => cells[columns.time.place] ?? '';
  const order = orderOf(rows.map(text), form);
  const timed: TimedRow[] = [];
  const others: Row[] = [];
  for (const row of rows) {
    const time = timeOfRow(row, columns, order);
    if (time) timed.push({ row, time: format.localEpoch ? { ...time, offset: null } : time });
    else others.push(row);
  }
  const [first] = others;
  if (first && others.length > Math.max(3, rows.length * 0.01)) {
    const example = `line ${first.line}: ${JSON.stringify(text(first))}`;
    throw new RefusedFile(
      `${others.length} of ${rows.length} rows have no time such as 2024-06-14 or 2024-06-14 09:30 (${example}).`,
    );
  }
  refuseSplitCells(timed, columns);
  return { rows: timed, unreadable: others.length };
}

/** A decimal comma in a file with commas between its cells makes two cells of each price. */
function refuseSplitCells(rows: readonly TimedRow[], columns: Columns): void {
  const long = rows.filter(({ row }) => row.cells.length >= columns.count + 4).length;
  if (long * 2 <= rows.length || rows.length === 0) return;
  throw new RefusedFile(
    'The rows have more cells than the header: commas stand between the cells and in the prices. Export with semicolons, or with decimal points.',
  );
}

function orderOf(texts: readonly string[], { date_order }: ForeignForm): DateOrder {
  const proven = provenOrder(texts);
  if (proven === 'both')
    throw new RefusedFile('Some dates have the day first and some the month: no order fits the whole file.');
  if (proven && date_order && proven !== date_order)
    throw new RefusedFile(
      `The dates have a part above 12 that --date-order ${date_order} cannot read: send ${proven}.`,
    );
  const order = proven ?? date_order;
  if (order === undefined && needsOrder(texts))
    throw new RefusedFile(
      `No date shows whether the month or the day is first (${texts[0]}): send --date-order mdy or dmy.`,
    );
  return order ?? 'mdy';
}

function timeOfRow({ cells }: Row, { time, clock }: Columns, order: DateOrder): WrittenTime | null {
  const date = readTime(cells[time.place] ?? '', order);
  if (clock === undefined || date?.hasClock) return date;
  const text = cells[clock.place] ?? '';
  const whole = readTime(text, order);
  if (whole?.hasClock) return whole;
  const at = readClock(text);
  return date && at !== null ? { ...date, local: date.local + at, hasClock: true } : null;
}

interface PricedRow extends TimedRow {
  readonly prices: Omit<RawBar, 'start' | 'end'>;
}

function pricedRows(timed: readonly TimedRow[], columns: Columns, { calendar }: ForeignForm, format: PriceFormat) {
  const style = numberStyle(timed.flatMap(({ row }) => columns.prices.map(({ place }) => row.cells[place] ?? '')));
  if (style === 'both') throw new RefusedFile('Some prices have a decimal comma and some a decimal point.');
  const cell = (row: Row, column: Column | undefined) =>
    column ? readNumber(row.cells[column.place] ?? '', style) : null;
  const isSuspended = ({ row }: TimedRow) => columns.status !== undefined && row.cells[columns.status.place] === '0';
  const traded = timed.filter((each) => !isSuspended(each));
  const volume = columns.volumes.find((column) => traded.some(({ row }) => (cell(row, column) ?? 0) > 0));
  const scale = calendar.continuous ? 1 : (format.scale ?? 1);
  const rows = traded.flatMap((each): PricedRow[] => {
    const [open, high, low, close] = columns.prices.map((column) => cell(each.row, column));
    if (open == null || high == null || low == null || close == null) return [];
    const amount = cell(each.row, volume);
    const adj_close = cell(each.row, columns.adj_close);
    const prices = {
      ...{ open: open * scale, high: high * scale, low: low * scale, close: close * scale },
      volume: amount === null || amount < 0 ? null : amount * (format.lot ?? 1),
      adj_close: adj_close !== null && adj_close > 0 ? adj_close : null,
    };
    return [{ ...each, prices }];
  });
  if (rows.length * 2 < traded.length)
    throw new RefusedFile(`${traded.length - rows.length} of ${traded.length} rows have no prices.`);
  return { rows, without_price: traded.length - rows.length, suspended: timed.length - traded.length };
}

function adjustmentOf(rows: readonly Row[], columns: Columns, { adjusted }: PriceFormat): string | null {
  if (columns.adj_close) return null;
  const flags = columns.flag && new Set(rows.map(({ cells }) => cells[columns.flag?.place ?? -1]));
  const flag = flags && ['1', '2'].find((each) => flags.has(each));
  if (flag !== undefined) return `adjustflag is ${flag}; 3 is raw`;
  return adjusted ?? null;
}

function refuseAdjusted(adjusted: string | null, { already_adjusted }: ForeignForm): void {
  if (adjusted === null || already_adjusted) return;
  throw new RefusedFile(
    `These prices are adjusted (${adjusted}). Send prices as they were traded, or --already-adjusted: then returns are right, and levels ` +
      'of plans and reference prices of earlier days do not fit.',
  );
}

type Spanned = Pick<ForeignBars, 'time_zone' | 'times' | 'bars' | 'outside' | 'before_open' | 'after_close' | 'cut'>;

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

function intradayRows(priced: readonly PricedRow[], form: ForeignForm, format: PriceFormat): Spanned {
  const { calendar, size } = form;
  const dateOnly = priced.find(({ time }) => !time.hasClock);
  if (dateOnly)
    throw new RefusedFile(
      `line ${dateOnly.row.line}: a date alone names no bar of ${size}. Send --size 1d, or rows with times.`,
    );
  const zone = zoneOf(priced, form, format);
  const times = instantsOf(priced, zone);
  refuseDistance(size, times, calendar);
  const stamp = form.times ?? format.stamp ?? 'start';
  const shown = stampShown(calendar, times);
  if (shown !== null && shown !== stamp) throw otherStamp(shown);
  const length = lengthOf(size);
  const bars = priced.map(({ prices }, index) => {
    const at = times[index] ?? 0;
    const start = stamp === 'start' ? at : at - length;
    return { start, end: start + length, ...prices };
  });
  const { rows, outside, before, after, cut } = placeRows(calendar, bars);
  return { time_zone: zone, times: stamp, bars: rows, outside, before_open: before, after_close: after, cut };
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
  throw new RefusedFile(`The rows are mostly ${spanText(distance)} apart, which are no bars of ${size}. ${send}.`);
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
function dailyRows(priced: readonly PricedRow[], form: ForeignForm, format: PriceFormat): Spanned {
  const { calendar, times: stamp = 'start' } = form;
  const zone = zoneOf(priced, form, format);
  refuseDistance(
    '1d',
    priced.map(({ time }) => time.local),
    calendar,
  );
  const reading = calendar.continuous
    ? utcDays(priced, zone, stamp)
    : sessionDates(priced, { ...form, times: stamp }, zone);
  const bars = priced.flatMap(({ prices }, index) => {
    const date = reading[index];
    const [session] = date === undefined ? [] : sessionsOn(calendar, date);
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

function sessionsOn(calendar: Calendar, date: Millis) {
  return calendar.sessions(date, date + DAY).filter(({ open }) => utcDate(open) === utcDate(date));
}

/** A moment that is not midnight UTC is no start of a UTC day. */
function utcDays(rows: readonly PricedRow[], zone: string, stamp: 'start' | 'end'): readonly Millis[] {
  return rows.map(({ row, time }) => {
    const local = time.hasClock && time.offset === null && zone !== 'as written' ? instantIn(zone, time.local) : null;
    const at = local ?? time.local - (time.offset ?? 0);
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
  const outside = (dates: readonly Millis[]) =>
    dates.filter((date) => sessionsOn(form.calendar, date).length === 0).length;
  const [without, others] = [outside(named), outside(moment)];
  if (without === others) {
    const [first] = rows;
    throw new RefusedFile(
      `Daily rows with an offset may name a date or a moment (line ${first?.row.line}), and the calendar fits both: send --dates named or moment.`,
    );
  }
  return without < others ? named : moment;
}
