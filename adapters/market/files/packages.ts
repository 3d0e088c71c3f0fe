import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { utcDate } from '../../../domain/time.ts';
import { parseCsv } from './csv.ts';

/** Real price history that a package ships, and what it is known to hold (evaluation.md section 9). */
export interface DataSet {
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
export interface DailyRow {
  readonly date: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly adj_close: number | null;
  readonly volume: number | null;
}

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

/** The names that a file gives to date, open, high, low, close, adjusted close and volume. */
type Columns = readonly [string, string, string, string, string, string, string];

const INDEX_COLUMNS: Columns = ['date', 'open', 'high', 'low', 'close', 'adjclose', 'volume'];
const SHARE_COLUMNS: Columns = ['Date', 'Open', 'High', 'Low', 'Close', 'Adj Close', 'Volume'];

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
