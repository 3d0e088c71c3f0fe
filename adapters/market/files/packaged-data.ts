import { readFile } from 'node:fs/promises';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { type Millis, rfc3339, utcDate } from '../../../domain/time.ts';
import { type BarRow, formatActions, formatBars } from './bar-csv.ts';
import { instrumentPath, instrumentsIn, type Manifest } from './bar-folder.ts';
import { holds, install } from './bar-import.ts';
import { parseCsv } from './csv.ts';

const SPX = { market: 'stock', symbol: 'SPX', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' } as const;

const BTC = { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' } as const;

export const DATA_SETS: readonly DataSet[] = [
  {
    package_name: 'vega-datasets',
    licence: 'BSD-3-Clause',
    time_zone: 'America/New_York',
    instrument: SPX,
    rows: 5_105,
    first: '2000-01-03',
    last: '2020-04-17',
    splits: [],
    read: (folder) => dailyCsv(join(folder, 'data/sp500-2000.csv'), INDEX_COLUMNS),
  },
  nasdaq('MSFT', '2003-02-18'),
  nasdaq('TXN', '2000-05-23'),
  {
    package_name: '@visx/mock-data',
    licence: 'MIT',
    time_zone: 'UTC',
    instrument: BTC,
    rows: 365,
    first: '2016-07-04',
    last: '2017-07-03',
    splits: [],
    read: bitcoinCloses,
  },
];

const INDEX_COLUMNS: Columns = ['date', 'open', 'high', 'low', 'close', 'adjclose', 'volume'];

const SHARE_COLUMNS: Columns = ['Date', 'Open', 'High', 'Low', 'Close', 'Adj Close', 'Volume'];

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
  const session = calendarOf(instrument).onDate(date);
  if (!session) throw new Error(`${instrument.venue} has no session on ${date}`);
  return session;
}

/** Real price history that a package ships, and what it is known to hold (evaluation.md section 9). */
interface DataSet {
  readonly package_name: string;
  readonly licence: string;
  readonly time_zone: string;
  readonly instrument: Instrument;
  readonly rows: number;
  /** `YYYY-MM-DD`, both included. */
  readonly first: string;
  readonly last: string;
  readonly splits: readonly { readonly ex_date: string; readonly ratio: number }[];
  /** The days in ascending order. */
  read(packageFolder: string): Promise<readonly DailyRow[]>;
}

/** One day of a package's file, raw prices. */
interface DailyRow {
  readonly date: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly adj_close: number | null;
  readonly volume: number | null;
}

/** The names that a file gives to date, open, high, low, close, adjusted close and volume. */
type Columns = readonly [string, string, string, string, string, string, string];

/** Both split 2:1 once in their files. */
function nasdaq(symbol: string, ex_date: string): DataSet {
  return {
    package_name: 'amcharts3',
    licence: 'amCharts free licence (licence.txt of the package)',
    time_zone: 'America/New_York',
    instrument: { ...SPX, symbol, venue: 'NASDAQ' },
    rows: 3_673,
    first: '2000-01-03',
    last: '2014-08-08',
    splits: [{ ex_date, ratio: 2 }],
    read: (folder) => dailyCsv(join(folder, `amcharts/plugins/dataloader/examples/data/${symbol}.csv`), SHARE_COLUMNS),
  };
}

async function dailyCsv(path: string, columns: Columns): Promise<readonly DailyRow[]> {
  const [date, open, high, low, close, adjusted, volume] = columns;
  const text = await readFile(path, 'utf8');
  const rows = await parseCsv(`${text}\n`, { required: columns }, (cells) => ({
    date: cells.text(date),
    open: cells.number(open),
    high: cells.number(high),
    low: cells.number(low),
    close: cells.number(close),
    adj_close: cells.number(adjusted),
    volume: cells.number(volume),
  }));
  return byDate(rows);
}

/** Closes only: a day opens at the close before it, and its range is what lies between the two. The first opens at its own. */
async function bitcoinCloses(folder: string): Promise<readonly DailyRow[]> {
  const file = join(folder, 'lib/mocks/bitcoinPrice.js');
  const { default: mock } = createRequire(file)(file) as { default: { prices: { price: string; time: string }[] } };
  const closes = byDate(
    mock.prices.map(({ price, time }) => ({ date: utcDate(new Date(time)), close: Number(price) })),
  );
  return closes.map(({ date, close }, index) => {
    const open = closes[index - 1]?.close ?? close;
    const range = { high: Math.max(open, close), low: Math.min(open, close) };
    return { date, open, ...range, close, adj_close: null, volume: null };
  });
}

function byDate<T extends { readonly date: string }>(rows: readonly T[]): readonly T[] {
  return [...rows].sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
}
