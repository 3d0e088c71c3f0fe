import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { arrangeBars } from '../../adapters/market/files/bar-csv.ts';
import { knownFrom } from '../../adapters/market/files/bar-files.ts';
import { importBars, type StoredHistory, storedHistory, storedSizes } from '../../adapters/market/files/bar-import.ts';
import { MalformedFile } from '../../adapters/market/files/csv.ts';
import { RefusedFile } from '../../adapters/market/files/foreign/file-text.ts';
import { type ForeignActions, parseForeignActions } from '../../adapters/market/files/foreign/read-actions.ts';
import { type ForeignBars, readForeignBars } from '../../adapters/market/files/foreign/read-bars.ts';
import type { ForeignForm } from '../../adapters/market/files/foreign/read-rows.ts';
import { isZone } from '../../adapters/market/files/foreign/read-times.ts';
import { type ImportReport, importPackagedData } from '../../adapters/market/files/packaged-data.ts';
import { learnNames, newestNames } from '../../application/market/names.ts';
import { refreshInstrument } from '../../application/market/refresh-symbols.ts';
import { carriedNights, longestFlatRun } from '../../domain/grading/bars/history.ts';
import { unexplainedLeaps } from '../../domain/grading/unexplained-leaps.ts';
import { actionFaults, asTraded, type CorporateAction, distinctActions } from '../../domain/market/adjustment.ts';
import { inspectBars } from '../../domain/market/bar-inspection.ts';
import { BAR_SIZES, type BarSize, type RawBar } from '../../domain/market/bars.ts';
import type { Calendar } from '../../domain/market/calendar.ts';
import { calendarOf, timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import { barelessEdges } from '../../domain/market/import-witnesses.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { standing } from '../../domain/market/name-book.ts';
import { type Millis, utcDate } from '../../domain/time.ts';
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
  spelledByNames,
  UsageError,
  word,
} from './command.ts';
import { type ImportFindings, importFigures, importReport } from './import-report.ts';
import { isSameListing, learningPorts, listingOf, listingRefusal, ownerOfRows } from './securities.ts';
import { table } from './text.ts';

const FILE_AND_INSTRUMENT = 'Name a file and an instrument.';

/** The operator's own bars, and the price history that is installed with the project. */
export const BAR_STORE_COMMANDS = [
  command({
    name: 'import-bars',
    summary: 'check a file of bars in any usual format, list its faults, and put it into the bar store',
    json:
      '{ instrument, size, format, time_zone, times: start, end or session, adjusted: why, or null, rows, usable, outside, before_open, after_close, cut, ' +
      'without_price, unreadable, suspended, still_open, without_trade, sessions_without_open, sessions_without_close, notes, duplicates, unsound, overlapping, unfinished, expected, missing, ' +
      'empty_sessions, generic_sessions, carried_opens (a share, or null), longest_flat_run, prices_left_out, open_run: the first of the last prices that are far from those before, or null, unexplained_leaps, leaps_in_adj_close, actions, ignored_columns, imported: true or false, reason: why not, or null }',
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
      names: option('today', oneOf(['today'] as const)),
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
  const date = /^\d{4}-\d\d-\d\d$/.test(sent) ? Date.parse(sent) : Number.NaN;
  if (!Number.isNaN(date) && utcDate(date) === sent) return sent;
  throw new UsageError(`${option} ${sent} is no date, such as 2021-01-28.`);
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
  readonly names: 'today' | undefined;
  readonly actions: string | undefined;
  readonly source: string | undefined;
  readonly licence: string | undefined;
  readonly replace: boolean;
  readonly check: boolean;
}

async function runImport(context: CommandContext, asked: Wanted): Promise<ExitCode> {
  const { storage, config, print, report } = context;
  const { barsDir } = config.marketData;
  const now = await storage.clock.now();
  const book = await newestNames(storage.names);
  const sent = { ...asked, instrument: spelledByNames(asked.instrument, book) };
  const read = await readOf(sent.file, (bytes) => readForeignBars(bytes, formOf(sent)));
  const owner = ownerOfRows(book, sent, read.bars, utcDate(now));
  const wanted = { ...sent, instrument: { ...sent.instrument, symbol: owner.key ?? sent.instrument.symbol } };
  const stated = await statedActions(wanted);
  const stored = await storedHistory(barsDir, wanted.instrument);
  const known = stated ?? (await storedActionsOf(stored, wanted.instrument));
  const found = await findingsOf(wanted, read, { known, stored, now: now.getTime() });
  for (const line of importReport(instrumentKey(wanted.instrument), wanted.size, read, found)) print(line);
  const listing = sent.listed === undefined ? null : listingOf(book, wanted.instrument, sent.listed);
  const refusal = owner.refusal ?? (await refusalOf(barsDir, wanted, found)) ?? listingRefusal(book, listing);
  const reason = refusal ?? (wanted.check ? 'Nothing was imported: this was a check.' : null);
  const imported = reason === null;
  const isNew = listing !== null && !standing(book.statements).some((each) => isSameListing(each, listing));
  if (imported && isNew) await learnNames(learningPorts(context), [listing], operatorName());
  if (imported) await put(context, wanted, { found, none: stated || found.in_prices > 0 ? known.none : null, now });
  else print(reason);
  report({ ...importFigures(instrumentKey(wanted.instrument), wanted.size, read, found), imported, reason });
  return refusal === null ? 0 : 1;
}

async function statedActions({ actions, instrument }: Wanted): Promise<ForeignActions | null> {
  const calendar = calendarOf(instrument);
  return actions === undefined
    ? null
    : readOf(actions, (bytes) => parseForeignActions(bytes.toString('utf8'), calendar));
}

interface KnownBefore {
  readonly known: ForeignActions;
  readonly stored: StoredHistory;
  readonly now: Millis;
}

async function findingsOf(
  wanted: Wanted,
  read: ForeignBars,
  { known, stored, now }: KnownBefore,
): Promise<ImportFindings> {
  const { size, instrument, already_adjusted } = wanted;
  const calendar = calendarOf(instrument);
  const given = distinctActions(known.actions).toSorted((a, b) => a.at - b.at);
  // Prices that a file calls adjusted have the dividends in them, unless it names splits alone.
  const isPaid = already_adjusted && (read.adjusted_for === 'all' || read.adjusted_for === 'dividends');
  const actions = isPaid ? given.filter(({ kind }) => kind === 'split') : given;
  const rows = already_adjusted && read.adjusted_for !== 'dividends' ? asTraded(read.bars, actions) : read.bars;
  const inspection = inspectBars(rows, size, calendar, now);
  const { bars } = inspection;
  const daily = size === '1d' || stored.daily.length === 0 ? bars : stored.daily;
  const edges = size === '1d' ? { opens: 0, closes: 0 } : barelessEdges(calendar, bars);
  const { contradicted, ...leaps } = await leapsOf(wanted, { bars, daily, actions, none: known.none }, stored);
  return {
    ...inspection,
    ...leaps,
    carried_opens: carriedNights(calendar, bars),
    longest_flat_run: longestFlatRun(bars),
    sessions_without_open: edges.opens,
    sessions_without_close: edges.closes,
    ...{ actions, in_prices: given.length - actions.length },
    action_faults: [
      ...actionFaults(calendar, daily, actions),
      ...(already_adjusted && read.adjusted_for !== 'dividends' ? unseenSplits(calendar, read.bars, actions) : []),
      ...contradicted.map((date) => contradiction(calendar, date, actions)),
    ],
  };
}

/** Whether adjusted prices have a split in them shows by when they were written, which no file says. */
function unseenSplits(
  calendar: Calendar,
  rows: readonly RawBar[],
  actions: readonly CorporateAction[],
): readonly string[] {
  const newest = rows.reduce((last, { end }) => Math.max(last, end), 0);
  const unseen = actions.filter(({ kind, at }) => kind === 'split' && at >= newest);
  return unseen.map(
    ({ at }) =>
      `${calendar.currentOrNext(at).date} has a split after the newest row: nothing shows whether these adjusted prices have it in them. Send rows ` +
      'up to a later date, or leave the split out if they do not',
  );
}

interface ReadSeries extends ForeignActions {
  readonly bars: readonly RawBar[];
  /** By which the bars are adjusted: themselves, where there are no others. */
  readonly daily: readonly RawBar[];
}

type SeriesFindings = Pick<ImportFindings, 'unexplained_leaps' | 'leaps_in_adj_close' | 'prices_left_out' | 'open_run'>;

/**
 * What grading will find in these bars: so with their factors, and with what the store will know of their actions. Leaps
 * that only adjusted closes account for are found in the bars without these, as are splits that they contradict.
 */
async function leapsOf(
  { instrument, size, actions_until, listed }: Wanted,
  { bars, daily, actions, none }: ReadSeries,
  stored: StoredHistory,
): Promise<SeriesFindings & { readonly contradicted: readonly string[] }> {
  const calendar = calendarOf(instrument);
  const { adjusted, ...arranged } = await arrangeBars(bars, daily, actions);
  const known = knownFrom(calendar, {
    ...{ actions, adjusted, none },
    from: daily[0]?.start ?? 0,
    actions_until: actions_until ?? stored.actions_until,
    listed_on: listed ?? stored.listed_on,
  });
  const { leaps, left_out, open_run, contradicted } = unexplainedLeaps(calendar, { size, bars: arranged.bars }, known);
  const inFile = { unexplained_leaps: leaps, prices_left_out: left_out, open_run };
  if (adjusted === null) return { ...inFile, leaps_in_adj_close: [], contradicted };
  const unlisted = { ...known, lists: [] };
  const raw = await arrangeBars(unadjusted(bars), unadjusted(daily), actions);
  const inRaw = unexplainedLeaps(calendar, { size, bars: raw.bars }, unlisted);
  const left = new Set(unexplainedLeaps(calendar, { size, bars: arranged.bars }, unlisted).leaps.map(({ at }) => at));
  return {
    ...inFile,
    leaps_in_adj_close: inRaw.leaps.filter(({ at }) => !left.has(at)).map(({ answer: _, ...leap }) => leap),
    contradicted: [...new Set([...contradicted, ...inRaw.contradicted])].toSorted(),
  };
}

function unadjusted(rows: readonly RawBar[]): readonly RawBar[] {
  return rows.map((row) => ({ ...row, adj_close: null }));
}

/** An adjusted close has no row among the actions. */
function contradiction(calendar: Calendar, date: string, actions: readonly CorporateAction[]): string {
  return actions.some(({ at }) => calendar.currentOrNext(at).date === date)
    ? `the action of ${date} does not fit the prices of its night: send --already-adjusted if the prices have it in them, ` +
        'another date or amount (in the unit of the prices), or no row'
    : `the prices around ${date} do not show the action or the step of adj_close there: correct it, or leave it out`;
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
    actions: none && found.actions,
    ...(none && { none }),
    actions_until: wanted.actions_until,
    listed_on: wanted.listed,
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

/** A share of impossible rows that is no accident: the columns are others than they seem. */
const MOST_UNSOUND = 0.5;

async function refusalOf(
  barsDir: string,
  { instrument, size, replace }: Wanted,
  { bars, action_faults, unsound }: ImportFindings,
): Promise<string | null> {
  if (unsound > MOST_UNSOUND * (bars.length + unsound)) {
    return `Nothing was imported: ${unsound} rows have a high below or a low above another price. Are the columns in another order than their names?`;
  }
  if (bars.length === 0) return 'Nothing was imported: no row can be used.';
  if (action_faults.length > 0) return `Nothing was imported: ${action_faults.join('; ')}.`;
  const sizes = await storedSizes(barsDir, instrument);
  if (replace || !sizes.includes(size)) return null;
  return `Nothing was imported: the store has ${size} bars of this instrument. Send --replace to replace them by these.`;
}

async function storedActionsOf({ actions }: StoredHistory, instrument: Instrument): Promise<ForeignActions> {
  return actions === null ? { actions: [], none: [] } : parseForeignActions(actions, calendarOf(instrument));
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

function formOf({ instrument, ...wanted }: Wanted): ForeignForm {
  const { symbol, quote_currency, asset_class } = instrument;
  return {
    ...wanted,
    symbol,
    quote_currency,
    asset_class,
    calendar: calendarOf(instrument),
    venue_zone: timeZoneOf(instrument),
  };
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
