import type { CorporateAction } from '../../../domain/market/adjustment.ts';
import { clipToSessions } from '../../../domain/market/bar-inspection.ts';
import { type BarSize, lengthOf, type RawBar } from '../../../domain/market/bars.ts';
import type { Calendar } from '../../../domain/market/calendar.ts';
import { DAY, type Millis } from '../../../domain/time.ts';
import { localToInstant } from '../../../domain/zoned-time.ts';
import { parseActions, parseNoActions } from './bar-csv.ts';
import { type Cells, MalformedFile, parseCsv } from './csv.ts';

/** How a file of somebody else's is to be read. */
export interface ForeignForm {
  readonly size: BarSize;
  readonly calendar: Calendar;
  /** IANA name, for times without an offset. */
  readonly time_zone: string;
  /** Whether a time names the start of its bar or the end; a date alone names its session. */
  readonly times: 'start' | 'end';
}

export interface ForeignBars {
  readonly rows: number;
  /** As they stand in the file, each cut to its session. */
  readonly bars: readonly RawBar[];
  /** Rows that lie in no session of the venue. */
  readonly outside: number;
  readonly ignored_columns: readonly string[];
}

/**
 * Bars in the CSV forms that are usual elsewhere: a header of `date`, `time`, `datetime` (or `timestamp`), `open`, `high`,
 * `low`, `close`, and where there are any `volume` and `adj close`, in any case and order; other columns are ignored.
 * @throws MalformedFile naming the first line that cannot be read
 */
export async function parseForeignBars(text: string, form: ForeignForm): Promise<ForeignBars> {
  const { names, body } = splitHeader(text);
  const missing = [...PRICES].find((name) => !names.includes(name));
  if (missing !== undefined) throw new MalformedFile(1, `the column ${missing} is missing`);
  if (!TIMES.some((name) => names.includes(name))) throw new MalformedFile(1, 'there is no column date or datetime');
  const known = [...PRICES, ...TIMES, ...OTHERS];
  const columns = { required: PRICES, optional: names.filter((name) => !PRICES.includes(name)) };
  const read = await parseCsv(`${names.join()}\n${body}`, columns, (cells) => barsIn(cells, names, form));
  return {
    rows: read.length,
    bars: read.flat(),
    outside: read.filter(({ length }) => length === 0).length,
    ignored_columns: names.filter((name) => !known.includes(name)),
  };
}

/** The rows of an actions file, whose `at` may be the date of the session too. @throws MalformedFile */
export async function parseForeignActions(text: string, calendar: Calendar): Promise<ForeignActions> {
  const dated = text.replace(/^(\d{4}-\d\d-\d\d)(?=,)/gm, (date) => {
    const [session] = sessionsOn(calendar, date);
    return session ? `${new Date(session.open).toISOString()}` : date;
  });
  const whole = `${dated.trimEnd()}\n`;
  return { actions: await parseActions(whole), none: await parseNoActions(whole) };
}

/** The splits and dividends of a file, and instants of the dates of which it says that they have none. */
export interface ForeignActions {
  readonly actions: readonly CorporateAction[];
  readonly none: readonly Millis[];
}

const PRICES: readonly string[] = ['open', 'high', 'low', 'close'];
const TIMES: readonly string[] = ['datetime', 'date'];
const OTHERS: readonly string[] = ['time', 'volume', 'adj_close'];

const ALIASES: Readonly<Record<string, string>> = {
  day: 'date',
  timestamp: 'datetime',
  start: 'datetime',
  vol: 'volume',
  adjclose: 'adj_close',
  adj_close: 'adj_close',
  adjusted_close: 'adj_close',
};

/** The last line counts, with or without a line end: the file is whole. */
function splitHeader(text: string): { readonly names: readonly string[]; readonly body: string } {
  const whole = text.replace(/^\uFEFF/, '').trimEnd();
  const end = whole.indexOf('\n');
  if (end < 0) throw new MalformedFile(1, 'there are no rows');
  if (whole.includes('"')) throw new MalformedFile(1, 'cells in quotes are not read; save the file without them');
  const names = whole
    .slice(0, end)
    .split(',')
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/[ .*-]+/g, '_'),
    )
    .map((name) => ALIASES[name] ?? name);
  return { names, body: `${whole.slice(end + 1)}\n` };
}

/** One bar, or none where it lies in no session. */
function barsIn(cells: Cells, names: readonly string[], form: ForeignForm): readonly RawBar[] {
  const volume = cells.optionalNumber('volume');
  const adj_close = cells.optionalNumber('adj_close');
  if (volume !== null && volume < 0) throw new MalformedFile(cells.line, 'volume is negative');
  if (adj_close !== null && adj_close <= 0) throw new MalformedFile(cells.line, 'adj_close is not above 0');
  const [open, high, low, close] = PRICES.map((name) => cells.number(name)) as [number, number, number, number];
  return spanOf(cells, names, form).flatMap((span) =>
    clipToSessions(form.calendar, [{ ...span, open, high, low, close, volume, adj_close }]),
  );
}

interface Span {
  readonly start: Millis;
  readonly end: Millis;
}

/** None for a day without a session. */
function spanOf(
  cells: Cells,
  names: readonly string[],
  { size, calendar, time_zone, times }: ForeignForm,
): readonly Span[] {
  const written = names.includes('datetime')
    ? cells.text('datetime')
    : [cells.text('date'), names.includes('time') ? cells.text('time') : ''].join(' ').trim();
  const [, year, month, day, time, offset] = WRITTEN.exec(written) ?? [];
  const date = `${year}-${month}-${day}`;
  if (year === undefined || !isDay(date)) throw unreadable(cells, written);
  if (size === '1d') return sessionsOn(calendar, date).map(({ open, close }) => ({ start: open, end: close }));
  if (time === undefined) throw unreadable(cells, written);
  const at = instantOf(`${date}T${time.length === 5 ? `${time}:00` : time}`, offset, time_zone);
  if (at === null) throw unreadable(cells, written);
  const length = lengthOf(size);
  return [times === 'start' ? { start: at, end: at + length } : { start: at - length, end: at }];
}

const WRITTEN = /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)(?:[T ]+(\d\d:\d\d(?::\d\d)?)(?:\.0+)?(Z|[+-]\d\d:\d\d)?)?$/;

function instantOf(local: string, offset: string | undefined, time_zone: string): Millis | null {
  const at = Date.parse(`${local}${offset ?? 'Z'}`);
  if (Number.isNaN(at)) return null;
  return offset === undefined ? localToInstant(at, time_zone) : at;
}

/** Date.parse moves 30 February on into March. */
function isDay(date: string): boolean {
  const at = Date.parse(date);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

function sessionsOn(calendar: Calendar, date: string): readonly { readonly open: Millis; readonly close: Millis }[] {
  const midnight = Date.parse(date);
  return Number.isNaN(midnight) ? [] : calendar.sessions(midnight, midnight + DAY);
}

function unreadable({ line }: Cells, written: string): MalformedFile {
  return new MalformedFile(line, `${JSON.stringify(written)} is no time such as 2024-06-14 or 2024-06-14 09:30`);
}
