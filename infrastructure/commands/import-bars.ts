import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { importBars, storedActions, storedSizes } from '../../adapters/market/files/bar-import.ts';
import { MalformedFile } from '../../adapters/market/files/csv.ts';
import {
  type ForeignActions,
  type ForeignBars,
  parseForeignActions,
  parseForeignBars,
} from '../../adapters/market/files/foreign-bars.ts';
import { type ImportReport, importPackagedData } from '../../adapters/market/files/packaged-data.ts';
import { refreshInstrument } from '../../application/market/refresh-symbols.ts';
import { carriedNights } from '../../domain/grading/bars/history.ts';
import { GRADING } from '../../domain/grading/method-numbers.ts';
import {
  type UnexplainedLeap,
  type UnexplainedLeaps,
  unexplainedLeaps,
} from '../../domain/grading/unexplained-leaps.ts';
import { actionFaults, type CorporateAction, factorsOf } from '../../domain/market/adjustment.ts';
import { type Inspection, inspectBars } from '../../domain/market/bar-inspection.ts';
import { BAR_SIZES, type BarSize, type RawBar } from '../../domain/market/bars.ts';
import type { Calendar } from '../../domain/market/calendar.ts';
import { calendarOf, timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { rfc3339, utcDate } from '../../domain/time.ts';
import { isTimeZone } from '../../domain/zoned-time.ts';
import { operatorName } from '../operator-name.ts';
import {
  asSent,
  type CommandContext,
  command,
  defaulted,
  type ExitCode,
  FLAG,
  instrumentIn,
  oneOf,
  option,
  required,
  UsageError,
  word,
} from './command.ts';
import { table } from './text.ts';

const FILE_AND_INSTRUMENT = 'Name a file and an instrument.';

/** The operator's own bars, and the price history that is installed with the project. */
export const BAR_STORE_COMMANDS = [
  command({
    name: 'import-bars',
    summary: 'check a CSV of bars, list its faults, and put it into the bar store',
    json:
      '{ instrument, size, rows, usable, outside, duplicates, unsound, overlapping, unfinished, expected, missing, ' +
      'empty_sessions, generic_sessions, likely_splits, unexplained_leaps, contradicted_actions, carried_opens (a share, or null), ignored_columns, imported: true or false, reason: why not, or null }',
    takes: {
      file: word('FILE', FILE_AND_INSTRUMENT, asSent),
      instrument: word('IDENTITY', FILE_AND_INSTRUMENT, instrumentIn),
      ...{ size: required(BAR_SIZES.join('|'), sizeIn), tz: option('ZONE', zoneIn) },
      times: defaulted('start|end', 'start', oneOf(['start', 'end'] as const)),
      ...{ actions: option('FILE', asSent), source: option('TEXT', asSent), licence: option('TEXT', asSent) },
      ...{ 'actions-until': option('DATE', dateIn), listed: option('DATE', dateIn) },
      ...{ 'already-adjusted': FLAG, replace: FLAG, 'dry-run': FLAG },
    },
    run: ({ tz, 'dry-run': dryRun, 'actions-until': actions_until, listed: listed_on, ...sent }, context) => {
      const { 'already-adjusted': adjusted, ...rest } = sent;
      const time_zone = tz ?? timeZoneOf(rest.instrument);
      return runImport(context, { ...rest, actions_until, listed_on, adjusted, time_zone, dryRun });
    },
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
function zoneIn(sent: string): string {
  if (isTimeZone(sent)) return sent;
  throw new UsageError(`--tz ${sent} is no time zone, such as America/New_York.`);
}

/** @throws UsageError */
function dateIn(sent: string, name: string): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(sent) ? new Date(`${sent}T00:00:00Z`) : new Date(Number.NaN);
  if (!Number.isNaN(date.getTime()) && utcDate(date) === sent) return sent;
  throw new UsageError(`${name} ${sent} is no date, such as 2021-01-28.`);
}

interface Wanted {
  readonly file: string;
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly time_zone: string;
  readonly times: 'start' | 'end';
  readonly actions: string | undefined;
  readonly actions_until: string | undefined;
  readonly listed_on: string | undefined;
  /** Whether the prices of the file are in the units of the newest row. */
  readonly adjusted: boolean;
  readonly source: string | undefined;
  readonly licence: string | undefined;
  readonly replace: boolean;
  readonly dryRun: boolean;
}

async function runImport(context: CommandContext, wanted: Wanted): Promise<ExitCode> {
  const { storage, config, print, report } = context;
  const { barsDir } = config.marketData;
  const calendar = calendarOf(wanted.instrument);
  const read = await readOf(wanted.file, (text) => parseForeignBars(text, { ...wanted, calendar }));
  const statedActions =
    wanted.actions === undefined ? null : await readOf(wanted.actions, (text) => parseForeignActions(text, calendar));
  const known = statedActions ?? (await storedActionsOf(barsDir, wanted.instrument, calendar));
  const now = await storage.clock.now();
  const inspection = inspectBars(
    wanted.adjusted ? asTraded(read.bars, known.actions) : read.bars,
    wanted.size,
    calendar,
    known.actions,
    now.getTime(),
  );
  const { leaps, contradicted } = leapsOf(calendar, wanted, inspection.bars, known);
  const found = {
    ...inspection,
    ...{ unexplained_leaps: leaps, contradicted_actions: contradicted },
    carried_opens: carriedNights(calendar, inspection.bars),
  };
  for (const line of importReport(instrumentKey(wanted.instrument), wanted.size, read, found)) print(line);
  const refusal = actionRefusal(found, known.actions) ?? (await refusalOf(barsDir, wanted, found));
  const reason = refusal ?? (wanted.dryRun ? 'Nothing was imported: this was a dry run.' : null);
  const imported = reason === null;
  if (imported) await put(context, wanted, { read, found, statedActions, now });
  else print(reason);
  report({ ...importFigures(instrumentKey(wanted.instrument), wanted.size, read, found), imported, reason });
  return refusal === null ? 0 : 1;
}

interface Checked {
  readonly read: ForeignBars;
  readonly found: ImportFindings;
  readonly statedActions: ForeignActions | null;
  readonly now: Date;
}

/** Stores the bars, then verifies the instrument again, which retries the decisions that failed without them. */
async function put(
  { storage, config, print }: CommandContext,
  wanted: Wanted,
  { found, statedActions, now }: Checked,
): Promise<void> {
  const { instrument, size, time_zone, source, licence } = wanted;
  const cadence = instrument.market === 'crypto' ? 'continuous' : 'end_of_day';
  const provenance = { source: source ?? `import of ${basename(wanted.file)}`, licence: licence ?? 'not stated' };
  const about = { time_zone, cadence } as const;
  const { barsDir } = config.marketData;
  await importBars(barsDir, {
    instrument,
    size,
    bars: found.bars,
    actions: statedActions?.actions ?? null,
    ...(statedActions && { none: statedActions.none }),
    ...{ actions_until: wanted.actions_until, listed_on: wanted.listed_on },
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

/** Prices as they were traded, from those that are adjusted for splits. */
function asTraded(rows: readonly RawBar[], actions: readonly CorporateAction[]): readonly RawBar[] {
  const factors = factorsOf([], actions);
  return rows.map((row) => {
    const { split } = factors(row.start);
    const [open, high, low, close] = [row.open / split, row.high / split, row.low / split, row.close / split];
    return { ...row, open, high, low, close, volume: row.volume === null ? null : row.volume * split };
  });
}

/** Actions that cannot be, or that the prices contradict, are refused (evaluation-3.md section 4). */
function actionRefusal(
  { bars, contradicted_actions }: ImportFindings,
  actions: readonly CorporateAction[],
): string | null {
  const faults = actionFaults(bars, actions);
  if (faults.length > 0) return `Nothing was imported. In the actions, ${faults.join('; ')}.`;
  if (contradicted_actions.length === 0) return null;
  return (
    `Nothing was imported: the action of ${contradicted_actions.join(', ')} does not fit the prices. Send its right date and ` +
    'amount, or no row; where the prices are adjusted for splits already, send --already-adjusted.'
  );
}

async function refusalOf(
  barsDir: string,
  { instrument, size, replace }: Wanted,
  { bars }: Inspection,
): Promise<string | null> {
  if (bars.length === 0) return 'Nothing was imported: no row can be used.';
  const sizes = await storedSizes(barsDir, instrument);
  if (replace || !sizes.includes(size)) return null;
  return `Nothing was imported: the store has ${size} bars of this instrument. Send --replace to replace them by these.`;
}

async function storedActionsOf(barsDir: string, instrument: Instrument, calendar: Calendar): Promise<ForeignActions> {
  const text = await storedActions(barsDir, instrument);
  return text === null ? { actions: [], none: [] } : parseForeignActions(text, calendar);
}

/** @throws Error that names the file, and the line where it is the file's fault */
async function readOf<T>(file: string, parse: (text: string) => Promise<T>): Promise<T> {
  try {
    return await parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof MalformedFile) throw new Error(`${file}, ${error.message}. Nothing was imported.`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Error(`${file} cannot be read: ${code}.`);
  }
}

/** By the adjusted closes, else by the actions; a list of actions says nothing about dates after its last one. */
function leapsOf(
  calendar: Calendar,
  { size, actions_until, listed_on }: Wanted,
  rows: readonly RawBar[],
  { actions, none }: ForeignActions,
): UnexplainedLeaps {
  const factors = factorsOf(rows, actions);
  const bars = rows.map(({ adj_close: _, ...bar }) => ({ ...bar, ...factors(bar.start) }));
  const adjusted = rows.filter(({ adj_close }) => adj_close !== null);
  const [first, last] = [adjusted[0], adjusted.at(-1)];
  const newest = [...actions.map(({ at }) => at), ...none]
    .map((at) => utcDate(at))
    .toSorted()
    .at(-1);
  const until = actions_until ?? newest;
  const source = 'import';
  const known = {
    actions: actions.map((action) => ({ ...action, source })),
    lists: [
      ...(first && last ? [{ source, from: utcDate(first.start), until: utcDate(last.start) }] : []),
      ...(until === undefined ? [] : [{ source, from: utcDate(rows[0]?.start ?? 0), until }]),
    ],
    none: none.map((at) => utcDate(at)),
    listed_on: listed_on ?? null,
  };
  return unexplainedLeaps(calendar, { size, bars }, known);
}

const EXAMPLES = 5;

/** What was found in a file of bars. */
interface ImportFindings extends Inspection {
  /** The share of sessions that open at the close of the session before; null where there is none. */
  readonly carried_opens: number | null;
  readonly unexplained_leaps: readonly UnexplainedLeap[];
  /** Dates of actions that do not fit their prices. */
  readonly contradicted_actions: readonly string[];
}

/** The members that `import-bars --json` prints about the file. */
function importFigures(instrument: string, size: BarSize, read: ForeignBars, findings: ImportFindings) {
  const { bars, ...figures } = findings;
  const { rows, outside, ignored_columns } = read;
  return { instrument, size, rows, usable: bars.length, outside, ...figures, ignored_columns };
}

/** A line for each finding about the file; without findings one line. */
function importReport(name: string, size: BarSize, read: ForeignBars, found: ImportFindings): readonly string[] {
  const { bars, expected, missing, likely_splits } = found;
  const [first, last] = [bars.at(0), bars.at(-1)];
  const span = first && last ? `, ${rfc3339(first.start)} to ${rfc3339(last.end)}` : '';
  return [
    `${name}, ${size}: ${read.rows} rows, ${bars.length} of them usable${span}`,
    ...counted(read.outside, 'outside every session of the venue, left out'),
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
    ...likely_splits.flatMap(({ at, ratio, in_adj_close }) =>
      in_adj_close
        ? [`  ! ${at}: looks like a split of ${ratioText(ratio)}; adj_close accounts for it, levels of plans do not`]
        : [],
    ),
    ...found.unexplained_leaps.map(
      ({ at, from, to, answer }) => `  ! ${at}: leaps from ${from} to ${to}, and nothing explains it. ${answer}`,
    ),
    ...found.contradicted_actions.map(
      (date) =>
        `  ! ${date}: the action of this date does not fit the prices. Send another date or amount, no row, or prices as they were traded.`,
    ),
    ...(read.ignored_columns.length > 0 ? [`  columns that are not read: ${read.ignored_columns.join(', ')}`] : []),
  ];
}

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

function ratioText(ratio: number): string {
  const shares = (count: number) => String(Number(count.toFixed(2)));
  return ratio >= 1 ? `${shares(ratio)}:1` : `1:${shares(1 / ratio)}`;
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
    : `The bars are in ${barsDir}. A running service knows them within a minute.`;
  const text = [table(['instrument', 'source', 'result'], rows), what];
  return { text, report: { bars_dir: barsDir, instruments }, failed: isAbsent };
}

/** Retries the decisions that failed because the bars were missing. */
async function verifyAgain({ storage }: CommandContext, { instrument, source }: ImportReport[number]): Promise<void> {
  const entry = { actor: operatorName(), action: 'load_packaged', subject: instrument, detail: { source } };
  await storage.audit.append(entry);
  await refreshInstrument(storage, instrumentIn(instrument), operatorName());
}
