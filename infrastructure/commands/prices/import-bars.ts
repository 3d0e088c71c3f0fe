import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { importBars, storedActions, storedSizes } from '../../../adapters/market/files/bar-import.ts';
import { MalformedFile } from '../../../adapters/market/files/csv.ts';
import {
  type ForeignBars,
  parseForeignActions,
  parseForeignBars,
} from '../../../adapters/market/files/foreign-bars.ts';
import { refreshInstrument } from '../../../application/market/refresh-instrument.ts';
import { carriedNights } from '../../../domain/grading/bars/traded-history.ts';
import type { CorporateAction } from '../../../domain/market/adjustment.ts';
import { type Inspection, inspectBars } from '../../../domain/market/bar-inspection.ts';
import { BAR_SIZES, type BarSize } from '../../../domain/market/bars.ts';
import type { Calendar } from '../../../domain/market/calendar.ts';
import { calendarOf, timeZoneOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { isTimeZone } from '../../../domain/zoned-time.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, instrumentIn, oneOf } from '../arguments.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { type ImportFindings, importFigures, importReport } from './import-report.ts';

const OPTIONS = {
  size: { type: 'string' },
  tz: { type: 'string' },
  times: { type: 'string', default: 'start' },
  actions: { type: 'string' },
  source: { type: 'string' },
  licence: { type: 'string' },
  replace: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const;

/** Loads the operator's own bars into the bar store, after checks that it reports. */
export const importBarsCommand: Command = {
  usage:
    `FILE IDENTITY --size ${BAR_SIZES.join('|')} [--tz ZONE] [--times start|end] [--actions FILE] [--source TEXT] ` +
    '[--licence TEXT] [--replace] [--dry-run]',
  summary: 'check a CSV of bars, list its faults, and put it into the bar store',
  json:
    '{ instrument, size, rows, usable, outside, duplicates, unsound, overlapping, unfinished, expected, missing, ' +
    'empty_sessions, generic_sessions, likely_splits, carried_opens (a share, or null), ignored_columns, imported: true or false, reason: why not, or null }',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    const [file, identity, ...others] = positionals;
    if (file === undefined || identity === undefined || others.length > 0)
      throw new UsageError('Name a file and an instrument.');
    if (values.size === undefined) throw new UsageError('Name the size of the bars with --size.');
    const instrument = instrumentIn(identity);
    const time_zone = values.tz ?? timeZoneOf(instrument);
    if (!isTimeZone(time_zone)) throw new UsageError(`--tz ${time_zone} is no time zone, such as America/New_York.`);
    const wanted: Wanted = {
      file,
      instrument,
      size: oneOf(BAR_SIZES, values.size, '--size'),
      time_zone,
      times: oneOf(['start', 'end'], values.times, '--times'),
      actions: values.actions ?? null,
      source: values.source ?? null,
      licence: values.licence ?? null,
      replace: values.replace,
      dryRun: values['dry-run'],
    };
    return (context) => run(context, wanted);
  },
};

interface Wanted {
  readonly file: string;
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly time_zone: string;
  readonly times: 'start' | 'end';
  readonly actions: string | null;
  readonly source: string | null;
  readonly licence: string | null;
  readonly replace: boolean;
  readonly dryRun: boolean;
}

async function run(context: CommandContext, wanted: Wanted): Promise<ExitCode> {
  const { storage, config, print, report } = context;
  const { barsDir } = config.marketData;
  const calendar = calendarOf(wanted.instrument);
  const read = await readOf(wanted.file, (text) => parseForeignBars(text, { ...wanted, calendar }));
  const statedActions =
    wanted.actions === null ? null : await readOf(wanted.actions, (text) => parseForeignActions(text, calendar));
  const known = statedActions ?? (await storedActionsOf(barsDir, wanted.instrument, calendar));
  const now = await storage.clock.now();
  const inspection = inspectBars(read.bars, wanted.size, calendar, known, now.getTime());
  const found = { ...inspection, carried_opens: carriedNights(calendar, inspection.bars) };
  for (const line of importReport(instrumentKey(wanted.instrument), wanted.size, read, found)) print(line);
  const refusal = await refusalOf(barsDir, wanted, found);
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
  readonly statedActions: readonly CorporateAction[] | null;
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
    actions: statedActions,
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
  { bars }: Inspection,
): Promise<string | null> {
  if (bars.length === 0) return 'Nothing was imported: no row can be used.';
  const sizes = await storedSizes(barsDir, instrument);
  if (replace || !sizes.includes(size)) return null;
  return `Nothing was imported: the store has ${size} bars of this instrument. Send --replace to replace them by these.`;
}

async function storedActionsOf(
  barsDir: string,
  instrument: Instrument,
  calendar: Calendar,
): Promise<readonly CorporateAction[]> {
  const text = await storedActions(barsDir, instrument);
  return text === null ? [] : parseForeignActions(text, calendar);
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
