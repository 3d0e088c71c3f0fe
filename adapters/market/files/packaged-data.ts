import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY, type Millis, rfc3339 } from '../../../domain/time.ts';
import { type BarRow, formatActions, formatBars } from './bar-csv.ts';
import { instrumentPath, instrumentsIn, type Manifest } from './bar-folder.ts';
import { holds, install } from './bar-install.ts';
import { DATA_SETS, type DailyRow, type DataSet } from './packages.ts';

/** What became of each data set: `absent` where its package is not installed, as in production. */
export type ImportReport = readonly {
  readonly source: string;
  readonly instrument: string;
  readonly outcome: 'imported' | 'present' | 'absent';
}[];

/** Bars that come with the source code, already in the form of the store. */
const FIXTURES = fileURLToPath(new URL('../../../tests/fixtures/bars', import.meta.url));

/** Its packages have the other prices; scripts/prepare.mjs installs them, apart from those of the service. */
const PACKAGES = new URL('../../../scripts/prices/package.json', import.meta.url);

/** Counted up when the conversion changes, so that older stores are converted anew. */
const CONVERSION = 1;

/**
 * Puts the real price history that is installed with the project into a bar store (evaluation.md section 9). What is
 * there already stays; each instrument appears whole or not at all, whoever else imports at the same time.
 * @throws Error when a package does not hold what it is known to hold
 */
export async function importPackagedData(store: string, fixtures: string = FIXTURES): Promise<ImportReport> {
  const report: ImportReport[number][] = [];
  for (const set of DATA_SETS) report.push(await importDataSet(store, set));
  for (const instrument of await instrumentsIn(fixtures)) report.push(await copyFixture(store, fixtures, instrument));
  return report;
}

async function importDataSet(store: string, set: DataSet): Promise<ImportReport[number]> {
  const instrument = instrumentKey(set.instrument);
  const path = findInstalled(set.package_name);
  if (path === undefined) return { source: set.package_name, instrument, outcome: 'absent' };
  const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string };
  const source = `${set.package_name} ${version}`;
  const manifest = manifestText(set, source);
  const folder = instrumentPath(set.instrument);
  if (await holds(store, folder, manifest)) return { source, instrument, outcome: 'present' };
  const rows = await set.read(dirname(path));
  verify(set, source, rows);
  await install(store, folder, {
    '1d.csv': formatBars(rows.map((row) => dailyBar(set.instrument, row))),
    ...(set.splits.length > 0 ? { 'actions.csv': splitActions(set) } : {}),
    'manifest.json': manifest,
  });
  return { source, instrument, outcome: 'imported' };
}

async function copyFixture(store: string, fixtures: string, identity: Instrument): Promise<ImportReport[number]> {
  const folder = instrumentPath(identity);
  const read = (file: string) => readFile(join(fixtures, folder, file), 'utf8');
  const manifest = await read('manifest.json');
  const { source, sizes } = JSON.parse(manifest) as Manifest;
  const instrument = instrumentKey(identity);
  if (await holds(store, folder, manifest)) return { source, instrument, outcome: 'present' };
  const files = ['NOTICE', ...sizes.map((size) => `${size}.csv`), 'manifest.json'];
  const texts = await Promise.all(files.map(async (file) => [file, await read(file)] as const));
  await install(store, folder, Object.fromEntries(texts));
  return { source, instrument, outcome: 'imported' };
}

/** The package.json of a package with prices; undefined where it is not installed. */
export function findInstalled(name: string): string | undefined {
  try {
    return findPackageJSON(name, PACKAGES);
  } catch {
    return undefined;
  }
}

function manifestText({ instrument, licence, time_zone, first, last }: DataSet, source: string): string {
  const from = rfc3339(sessionOn(instrument, first).open);
  const manifest: Manifest & { readonly conversion: number } = {
    source,
    licence,
    time_zone,
    sizes: ['1d'],
    ranges: { '1d': { from, to: rfc3339(sessionOn(instrument, last).close) } },
    cadence: 'end_of_day',
    history_from: from,
    delisted_at: null,
    conversion: CONVERSION,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function verify({ rows, first, last }: DataSet, source: string, read: readonly DailyRow[]): void {
  const found = `${read.length} rows, ${read[0]?.date}..${read.at(-1)?.date}`;
  const expected = `${rows} rows, ${first}..${last}`;
  if (found !== expected) throw new Error(`${source} holds ${found} instead of ${expected}`);
}

function dailyBar(instrument: Instrument, { date, ...prices }: DailyRow): BarRow {
  const { open: start, close: end } = sessionOn(instrument, date);
  return { ...prices, start, end };
}

function splitActions({ instrument, splits }: DataSet): string {
  return formatActions(
    splits.map(({ ex_date, ratio }) => ({ at: sessionOn(instrument, ex_date).open, kind: 'split', value: ratio })),
  );
}

function sessionOn(instrument: Instrument, date: string): { readonly open: Millis; readonly close: Millis } {
  const midnight = Date.parse(date);
  const [session] = calendarOf(instrument).sessions(midnight, midnight + DAY);
  if (!session) throw new Error(`${instrument.venue} has no session on ${date}`);
  return session;
}
