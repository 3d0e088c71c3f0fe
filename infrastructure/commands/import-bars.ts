import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { importBars, type StatedActions, storedActions, storedSizes } from '../../adapters/market/files/bar-import.ts';
import { MalformedFile } from '../../adapters/market/files/csv.ts';
import { parseForeignActions } from '../../adapters/market/files/foreign/read-actions.ts';
import { type ForeignBars, type ForeignForm, readForeignBars } from '../../adapters/market/files/foreign/read-bars.ts';
import { RefusedFile } from '../../adapters/market/files/foreign/read-table.ts';
import { isZone } from '../../adapters/market/files/foreign/read-times.ts';
import { type ImportReport, importPackagedData } from '../../adapters/market/files/packaged-data.ts';
import { refreshInstrument } from '../../application/market/refresh-symbols.ts';
import { carriedNights } from '../../domain/grading/bars/history.ts';
import { GRADING } from '../../domain/grading/method-numbers.ts';
import {
  type JudgedActions,
  judgeActions,
  type UnexplainedLeap,
  unexplainedLeaps,
} from '../../domain/market/action-witnesses.ts';
import { type Inspection, inspectBars } from '../../domain/market/bar-inspection.ts';
import { BAR_SIZES, type BarSize } from '../../domain/market/bars.ts';
import { calendarOf, timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import { barelessEdges } from '../../domain/market/import-witnesses.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { type Millis, rfc3339, utcDate } from '../../domain/time.ts';
import { operatorName } from '../operator-name.ts';
import {
  asSent,
  type CommandContext,
  command,
  type ExitCode,
  FLAG,
  instrumentIn,
  oneOf,
  option,
  required,
  timeIn,
  UsageError,
  word,
} from './command.ts';
import { table } from './text.ts';

const FILE_AND_INSTRUMENT = 'Name a file and an instrument.';

/** The operator's own bars, and the price history that is installed with the project. */
export const BAR_STORE_COMMANDS = [
  command({
    name: 'import-bars',
    summary: 'check a file of bars in any usual format, list its faults, and put it into the bar store',
    json:
      '{ instrument, size, format, time_zone, times: start, end or session, adjusted: why, or null, rows, usable, outside, before_open, after_close, cut, ' +
      'without_price, unreadable, suspended, sessions_without_open, sessions_without_close, notes, duplicates, unsound, overlapping, unfinished, expected, missing, ' +
      'empty_sessions, generic_sessions, carried_opens (a share, or null), unexplained_leaps, actions, ignored_columns, imported: true or false, reason: why not, or null }',
    takes: {
      file: word('FILE', FILE_AND_INSTRUMENT, asSent),
      instrument: word('IDENTITY', FILE_AND_INSTRUMENT, instrumentIn),
      ...{ size: required(BAR_SIZES.join('|'), sizeIn), tz: option('ZONE', zoneIn) },
      times: option('start|end', oneOf(['start', 'end'] as const)),
      dates: option('named|moment', oneOf(['named', 'moment'] as const)),
      'date-order': option('mdy|dmy', oneOf(['mdy', 'dmy'] as const)),
      ...{ only: option('NAME', asSent), member: option('NAME', asSent), 'already-adjusted': FLAG },
      ...{ 'actions-until': option('DATE', dayIn), listed: option('DATE', dayIn) },
      ...{ actions: option('FILE', asSent), source: option('TEXT', asSent), licence: option('TEXT', asSent) },
      ...{ replace: FLAG, check: FLAG, 'dry-run': FLAG },
    },
    run: (sent, context) =>
      runImport(context, {
        ...sent,
        time_zone: sent.tz,
        date_order: sent['date-order'],
        already_adjusted: sent['already-adjusted'],
        actions_until: sent['actions-until'],
        check: sent.check || sent['dry-run'],
      }),
  }),
  // A start with the embedded database does the same by itself.
  command({
    name: 'load-packaged',
    summary:
      'put the price history that is installed with the project into the bar store; what is there stays. ' +
      'Only a service with DATABASE_URL needs this',
    json: '{ bars_dir, instruments: [{ instrument, source, result: loaded, present or not_installed }] }',
    run: (_, context) => loadPackaged(context),
  }),
];

/** @throws UsageError */
function sizeIn(sent: string | undefined, option: string): BarSize {
  if (sent === undefined) throw new UsageError('Name the size of the bars with --size.');
  return oneOf(BAR_SIZES)(sent, option);
}

/** @throws UsageError */
function dayIn(sent: string, option: string): string {
  timeIn(sent, option);
  if (sent.length === 10) return sent;
  throw new UsageError(`${option} ${sent}: send a date such as 2026-01-30.`);
}

/** @throws UsageError */
function zoneIn(sent: string): string {
  if (isZone(sent)) return sent;
  throw new UsageError(
    `--tz ${sent} is no time zone, such as America/New_York, America/New_York+7h (most brokers of MetaTrader) or UTC-5.`,
  );
}

interface Wanted {
  readonly file: string;
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly time_zone: string | undefined;
  readonly times: 'start' | 'end' | undefined;
  readonly dates: 'named' | 'moment' | undefined;
  readonly date_order: 'mdy' | 'dmy' | undefined;
  readonly only: string | undefined;
  readonly member: string | undefined;
  readonly already_adjusted: boolean;
  readonly actions_until: string | undefined;
  readonly listed: string | undefined;
  readonly actions: string | undefined;
  readonly source: string | undefined;
  readonly licence: string | undefined;
  readonly replace: boolean;
  readonly check: boolean;
}

async function runImport(context: CommandContext, wanted: Wanted): Promise<ExitCode> {
  const { storage, config, print, report } = context;
  const { barsDir } = config.marketData;
  const now = await storage.clock.now();
  const read = await readOf(wanted.file, (bytes) => readForeignBars(bytes, formOf(wanted)));
  const stated = await statedActions(wanted);
  const known = stated ?? (await storedActionsOf(barsDir, wanted.instrument));
  const found = findingsOf(wanted, read, known, now.getTime());
  for (const line of importReport(instrumentKey(wanted.instrument), wanted.size, read, found)) print(line);
  const refusal = await refusalOf(barsDir, wanted, found);
  const reason = refusal ?? (wanted.check ? 'Nothing was imported: this was a check.' : null);
  const imported = reason === null;
  if (imported)
    await put(context, wanted, { found, none: stated || found.judged.in_prices > 0 ? known.none : null, now });
  else print(reason);
  report({ ...importFigures(instrumentKey(wanted.instrument), wanted.size, read, found), imported, reason });
  return refusal === null ? 0 : 1;
}

async function statedActions({ actions, instrument }: Wanted): Promise<StatedActions | null> {
  const calendar = calendarOf(instrument);
  return actions === undefined
    ? null
    : readOf(actions, (bytes) => parseForeignActions(bytes.toString('utf8'), calendar));
}

function findingsOf(wanted: Wanted, read: ForeignBars, { actions, none }: StatedActions, now: Millis): ImportFindings {
  const { size, instrument, already_adjusted } = wanted;
  const calendar = calendarOf(instrument);
  const inspection = inspectBars(read.bars, size, calendar, now);
  const { bars } = inspection;
  const edges = size === '1d' ? { opens: 0, closes: 0 } : barelessEdges(calendar, bars);
  const judged = judgeActions(calendar, bars, actions, already_adjusted);
  return {
    ...inspection,
    carried_opens: carriedNights(calendar, bars),
    sessions_without_open: edges.opens,
    sessions_without_close: edges.closes,
    judged,
    unexplained_leaps: unexplainedLeaps(calendar, bars, judged.actions, none),
  };
}

interface Checked {
  readonly found: ImportFindings;
  /** Sessions of which a file says that they have no action; null leaves the stored actions as they are. */
  readonly none: readonly Millis[] | null;
  readonly now: Date;
}

/** Stores the bars, then verifies the instrument again, which retries the decisions that failed without them. */
async function put(
  { storage, config, print }: CommandContext,
  wanted: Wanted,
  { found, none, now }: Checked,
): Promise<void> {
  const { instrument, size, source, licence } = wanted;
  // The zone in which the source counts its days.
  const time_zone = timeZoneOf(instrument);
  const cadence = instrument.market === 'crypto' ? 'continuous' : 'end_of_day';
  const origin = source ?? `import of ${basename(wanted.file)}`;
  const provenance = {
    source: wanted.already_adjusted ? `${origin} (adjusted prices)` : origin,
    licence: licence ?? 'not stated',
  };
  const about = { time_zone, cadence } as const;
  const { barsDir } = config.marketData;
  await importBars(barsDir, {
    instrument,
    size,
    bars: found.bars,
    actions: none && { actions: found.judged.actions, none },
    actions_until: wanted.actions_until ?? null,
    listed_on: wanted.listed ?? null,
    about,
    ...provenance,
    imported_at: now,
  });
  print(`${found.bars.length} bars were imported.`);
  if (!(await storedSizes(barsDir, instrument)).includes('1d')) {
    print('There are no daily bars yet: without them nothing can be graded.');
  }
  const detail = { size, bars: found.bars.length, source: provenance.source };
  const subject = instrumentKey(instrument);
  await storage.audit.append({ actor: operatorName(), action: 'import_bars', subject, detail });
  const { job_id } = await refreshInstrument(storage, instrument, operatorName());
  print(`The instrument is verified again, job ${job_id}.`);
}

async function refusalOf(
  barsDir: string,
  { instrument, size, replace }: Wanted,
  { bars, judged }: ImportFindings,
): Promise<string | null> {
  if (bars.length === 0) return 'Nothing was imported: no row can be used.';
  if (judged.faults.length > 0) {
    const faults = judged.faults.map(({ at, fault }) => `${utcDate(at)}: ${fault}`);
    return `Nothing was imported: the actions do not fit the prices. ${faults.join('. ')}.`;
  }
  const sizes = await storedSizes(barsDir, instrument);
  if (replace || !sizes.includes(size)) return null;
  return `Nothing was imported: the store has ${size} bars of this instrument. Send --replace to replace them by these.`;
}

async function storedActionsOf(barsDir: string, instrument: Instrument): Promise<StatedActions> {
  const text = await storedActions(barsDir, instrument);
  return text === null ? { actions: [], none: [] } : parseForeignActions(text, calendarOf(instrument));
}

/** @throws Error that names the file, and the line where it is the file's fault */
async function readOf<T>(file: string, parse: (bytes: Buffer) => Promise<T>): Promise<T> {
  try {
    return await parse(await readFile(file));
  } catch (error) {
    if (error instanceof RefusedFile) throw new Error(`${file}: ${error.message} Nothing was imported.`);
    if (error instanceof MalformedFile) throw new Error(`${file}, ${error.message}. Nothing was imported.`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Error(`${file} cannot be read: ${code}.`);
  }
}

const EXAMPLES = 5;

/** What was found in a file of bars. */
interface ImportFindings extends Inspection {
  /** The share of sessions that open at the close of the session before; null where there is none. */
  readonly carried_opens: number | null;
  /** Sessions that have bars, and none at their open or close. */
  readonly sessions_without_open: number;
  readonly sessions_without_close: number;
  readonly judged: JudgedActions;
  readonly unexplained_leaps: readonly UnexplainedLeap[];
}

function formOf({ instrument, ...wanted }: Wanted): ForeignForm {
  const { symbol } = instrument;
  return { ...wanted, symbol, calendar: calendarOf(instrument), venue_zone: timeZoneOf(instrument) };
}

/** The members that `import-bars --json` prints about the file. */
function importFigures(instrument: string, size: BarSize, read: ForeignBars, findings: ImportFindings) {
  const { bars, judged, ...figures } = findings;
  const actions = {
    stored: judged.actions.length,
    in_prices: judged.in_prices,
    faults: judged.faults.map(({ at, fault }) => ({ date: utcDate(at), fault })),
  };
  const { bars: _, rows, ...counts } = read;
  return { instrument, size, rows, usable: bars.length, ...counts, ...figures, actions };
}

/** A line for each finding about the file; without findings one line. */
function importReport(name: string, size: BarSize, read: ForeignBars, found: ImportFindings): readonly string[] {
  const { bars, expected, missing, judged } = found;
  const [first, last] = [bars.at(0), bars.at(-1)];
  const span = first && last ? `, ${rfc3339(first.start)} to ${rfc3339(last.end)}` : '';
  return [
    `${name}, ${size}: ${read.rows} rows, ${bars.length} of them usable${span}`,
    `  read as ${read.format}; times in ${read.time_zone}, ${STAMPS[read.times]}; prices ${read.adjusted === null ? 'raw, as far as the file says' : `already adjusted (${read.adjusted})`}`,
    ...read.notes.map((note) => `  ! ${note}`),
    ...counted(read.without_price, 'without a price, left out'),
    ...counted(read.unreadable, 'that are no bars, such as notes, left out'),
    ...counted(read.suspended, 'marked as suspended, left out'),
    ...counted(read.outside, 'outside every session of the venue, left out'),
    ...counted(read.before_open, 'begin before their session, left out'),
    ...counted(read.after_close, 'end after their session, left out: the file has rows outside sessions'),
    ...counted(read.cut, 'end after their session, cut at its end'),
    ...counted(found.sessions_without_open, 'sessions have bars and none at their open'),
    ...counted(found.sessions_without_close, 'sessions have bars and none at their close'),
    ...counted(found.duplicates, 'repeated, left out (the last one of each counts)'),
    ...counted(found.unsound, 'with impossible prices (high below, low above, or none), left out'),
    ...counted(found.overlapping, 'begin before the bar before them ends, left out'),
    ...counted(found.unfinished, 'have not ended yet, left out'),
    ...(bars.length > 0 ? [`  ${missing} of ${expected} bars of the calendar are missing`] : []),
    ...emptySessions(found.empty_sessions),
    ...counted(
      found.generic_sessions,
      'sessions in years whose holidays are unknown here: every weekday counts as a session',
    ),
    ...carriedOpens(found.carried_opens),
    ...counted(judged.in_prices, 'actions are in the adjusted prices already, left out'),
    ...judged.moved.map(
      ({ from, to }) =>
        `  ! the action of ${utcDate(from)} takes effect on ${utcDate(to)} by the prices, and is stored there`,
    ),
    ...judged.faults.map(({ at, fault }) => `  ! ${utcDate(at)}: ${fault}`),
    ...found.unexplained_leaps.map(leapText),
    ...(read.ignored_columns.length > 0 ? [`  columns that are not read: ${read.ignored_columns.join(', ')}`] : []),
  ];
}

const STAMPS = {
  start: 'which name the start of a bar',
  end: 'which name the end of a bar',
  session: 'which name sessions',
} as const;

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`  ${count} ${what}`];
}

function emptySessions(dates: readonly string[]): readonly string[] {
  if (dates.length === 0) return [];
  const more = dates.length > EXAMPLES ? ` and ${dates.length - EXAMPLES} more` : '';
  return [`  ${dates.length} sessions without any bar: ${dates.slice(0, EXAMPLES).join(', ')}${more}`];
}

/** Where they are more than half, outcomes on daily bars have `carried_open`. */
function carriedOpens(share: number | null): readonly string[] {
  if (share === null) return [];
  const found = `${(100 * share).toFixed(1)} % of the sessions open exactly at the close of the session before`;
  return [share > GRADING.carriedOpens ? `  ! ${found}: these opens are not trades` : `  ${found}`];
}

function leapText({ date, ratio, in_adj_close }: UnexplainedLeap): string {
  const leap = `  ! ${date}: the price is ${Number(ratio.toPrecision(3))} of the one before, and no action explains it`;
  return in_adj_close
    ? `${leap}; adj_close accounts for it, levels of plans do not`
    : `${leap}: send --actions with ${date},split,N or ${date},none`;
}

const RESULTS = { imported: 'loaded', present: 'present', absent: 'not_installed' } as const;

async function loadPackaged(context: CommandContext) {
  const { barsDir } = context.config.marketData;
  const imports = await importPackagedData(barsDir);
  for (const each of imports) if (each.outcome === 'imported') await verifyAgain(context, each);
  const instruments = imports.map(({ instrument, source, outcome }) => ({
    ...{ instrument, source, result: RESULTS[outcome] },
  }));
  const rows = instruments.map(({ instrument, source, result }) => [instrument, source, result.replace('_', ' ')]);
  const isAbsent = instruments.some(({ result }) => result === 'not_installed');
  const what = isAbsent
    ? 'Some packages are not installed: the image has none. Run npm ci in scripts/prices of a checkout, then this command there.'
    : `The bars are in ${barsDir}. A running service knows them at once.`;
  const text = [table(['instrument', 'source', 'result'], rows), what];
  return { text, report: { bars_dir: barsDir, instruments }, failed: isAbsent };
}

/** Retries the decisions that failed because the bars were missing. */
async function verifyAgain({ storage }: CommandContext, { instrument, source }: ImportReport[number]): Promise<void> {
  const entry = { actor: operatorName(), action: 'load_packaged', subject: instrument, detail: { source } };
  await storage.audit.append(entry);
  await refreshInstrument(storage, instrumentIn(instrument), operatorName());
}
