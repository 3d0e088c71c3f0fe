import type { CellTable, Row } from './read-table.ts';

/** What is known of a writer of price files (columns, units, zone, what its times name), beyond what any table has. */
export interface PriceFormat {
  readonly name: string;
  /** Names that a header of this format has, as `columnName` writes them. */
  readonly columns?: readonly string[];
  /** Of a file without a header: the number of cells, the forms of some of them, and the names of the columns. */
  readonly headless?: {
    readonly first: RegExp;
    readonly second?: RegExp;
    readonly last?: RegExp;
    readonly sixth?: RegExp;
    readonly names: readonly string[];
  };
  /** The zone of times without an offset; `ask`: no file says which, so --tz must. */
  readonly zone?: string;
  /** What the times of bars shorter than a day name, of a coin also those of days; `ask`: no file says it. */
  readonly stamp?: 'start' | 'end' | 'ask';
  /** Seconds since 1970 are local time written as if it were UTC. */
  readonly localEpoch?: true;
  /** Shares in a unit of the volume, at the venues of mainland China and where the turnover shows no other. */
  readonly lot?: number;
  /** The column of what was paid for the volume. */
  readonly turnover?: string;
  /**
   * What prices are divided by where all of them are whole numbers (a product with the inverse is not the decimal that was
   * meant), and of the venues of which zones; else of all.
   */
  readonly per?: { readonly by: number; readonly zones?: readonly string[] };
  /** Why its prices are adjusted, in the words of the file. */
  readonly adjusted?: string;
  /** What its prices are adjusted for where the file says no more than that they are adjusted. */
  readonly flagMeans?: 'splits';
  /** Why it is not read, and what to send. */
  readonly refused?: string;
  readonly note?: string;
  /** What a file of this form is that has a volume, where the writer has none. */
  readonly withVolume?: Pick<PriceFormat, 'name' | 'zone' | 'note'>;
}

const BROKER_TIME =
  "Its times are those of a broker's server, which the file does not name: for most it is --tz America/New_York+7h";
const NO_TRACE = 'qfq and hfq leave no trace in the columns: make sure that adjust was empty';
const NO_NAMES = 'the columns have no names';
const TICKS = 'These are single trades or quotes. Send bars: build them first, or fetch the bars of the same source.';
const OHLCV = ['open', 'high', 'low', 'close', 'volume'];
const EPOCH = /^\d{10}(\d{3}){0,3}$/;
const A_DATE = /^(\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}[-/]\d\d[-/]\d\d|\d{8})$/;
const NUMBER = /^-?[\d.]+$/;

/** The first one that fits is the format of a file; one whose columns are all usual ones comes last. */
const PRICE_FORMATS: readonly PriceFormat[] = [
  { name: 'trades (Binance aggTrades)', columns: ['agg_trade_id', 'price', 'quantity'], refused: TICKS },
  { name: 'MetaTrader 5', columns: ['date', 'tickvol', 'spread'], zone: 'ask', note: BROKER_TIME },
  {
    name: 'MetaTrader 5 (Python)',
    columns: ['time', 'tick_volume', 'real_volume'],
    zone: 'ask',
    localEpoch: true,
    note: BROKER_TIME,
  },
  { name: 'CryptoDataDownload', columns: ['unix', 'date', 'symbol', 'open'], zone: 'UTC' },
  { name: 'Nasdaq.com', columns: ['date', 'close_last'] },
  { name: 'investing.com', columns: ['date', 'price', 'open', 'vol'] },
  {
    name: 'yfinance history',
    columns: ['dividends', 'stock_splits'],
    adjusted: 'the columns Dividends and Stock Splits without Adj Close: auto_adjust was on',
  },
  { name: 'Yahoo Finance download', columns: ['date', 'adj_close', 'close'] },
  { name: 'Massive flat file', columns: ['window_start', 'transactions'], zone: 'UTC' },
  {
    name: 'Tongdaxin minutes',
    columns: ['日期', '时间', '开盘', '收盘'],
    ...{ zone: 'Asia/Shanghai', stamp: 'end', turnover: '成交额', note: NO_TRACE },
  },
  {
    name: 'akshare minutes',
    columns: ['时间', '开盘', '收盘'],
    zone: 'Asia/Shanghai',
    stamp: 'end',
    ...{ lot: 100, turnover: '成交额', note: NO_TRACE },
  },
  {
    name: 'akshare days',
    columns: ['日期', '开盘', '收盘', '振幅'],
    zone: 'Asia/Shanghai',
    ...{ lot: 100, turnover: '成交额', note: NO_TRACE },
  },
  {
    name: 'Tongdaxin or another table with names in Chinese',
    columns: ['日期', '开盘', '收盘'],
    zone: 'Asia/Shanghai',
    ...{ turnover: '成交额', note: NO_TRACE },
  },
  {
    name: 'baostock minutes',
    columns: ['time', 'code', 'adjustflag'],
    ...{ zone: 'Asia/Shanghai', stamp: 'end', turnover: 'amount' },
  },
  {
    name: 'baostock days',
    columns: ['code', 'preclose', 'tradestatus'],
    ...{ zone: 'Asia/Shanghai', turnover: 'amount' },
  },
  {
    name: 'tushare minutes',
    columns: ['ts_code', 'trade_time'],
    ...{ zone: 'Asia/Shanghai', stamp: 'end', turnover: 'amount' },
  },
  {
    name: 'tushare days',
    columns: ['ts_code', 'trade_date'],
    ...{ zone: 'Asia/Shanghai', lot: 100, turnover: 'amount' },
  },
  {
    name: 'Sharadar',
    columns: ['date', 'closeadj', 'closeunadj'],
    adjusted: 'the column closeunadj: the others are adjusted for splits',
    flagMeans: 'splits',
  },
  { name: 'Tiingo', columns: ['date', 'adjclose', 'divcash', 'splitfactor'] },
  { name: 'EODHD intraday', columns: ['timestamp', 'gmtoffset', 'datetime'], zone: 'UTC' },
  { name: 'EODHD days', columns: ['date', 'adjusted_close', 'close'] },
  {
    name: 'Stooq bulk',
    columns: ['ticker', 'per', 'date', 'openint'],
    adjusted: 'Stooq adjusts its prices for splits and dividends',
  },
  { name: 'Alpha Vantage adjusted', columns: ['timestamp', 'adjusted_close', 'split_coefficient'] },
  { name: 'Interactive Brokers', columns: ['date', 'average', 'barcount'] },
  { name: 'Barchart', columns: ['latest', 'change', '%change'] },
  { name: 'Barchart (old)', columns: ['last', 'change', '%chg'] },
  { name: 'Norgate', columns: ['unadjusted_close'], adjusted: 'the column Unadjusted Close: the others are adjusted' },
  { name: 'Dukascopy', columns: ['gmt_time', 'open'], zone: 'UTC' },
  { name: 'Dukascopy (UTC)', columns: ['time_utc', 'open'], zone: 'UTC' },
  {
    name: 'Dukascopy (local time)',
    columns: ['local_time', 'open'],
    zone: 'ask',
    note: 'Its times are local ones of the computer that wrote it',
  },
  { name: 'Binance futures klines', columns: ['open_time', 'close_time', 'taker_buy_volume'], zone: 'UTC' },
  {
    name: 'FMP',
    columns: ['date', 'changepercent', 'vwap'],
    note: 'FMP adjusts these prices for splits: levels of plans of the days before a split do not fit',
  },
  {
    name: 'BitMEX',
    columns: ['homenotional', 'foreignnotional'],
    ...{
      zone: 'UTC',
      stamp: 'end',
      note: 'BitMEX names the ends of bars, opens them at the close before, and counts contracts',
    },
  },
  { name: 'Databento', columns: ['ts_event', 'rtype', 'publisher_id'], zone: 'UTC', per: { by: 1_000_000_000 } },
  { name: 'Massive or Alpaca (REST)', columns: ['t', 'o', 'h', 'l', 'c'], flagMeans: 'splits' },
  {
    name: 'Binance klines',
    headless: {
      first: EPOCH,
      second: NUMBER,
      names: [
        'open_time',
        ...OHLCV,
        'close_time',
        'quote_volume',
        'count',
        'taker_buy_volume',
        'taker_buy_quote',
        'ignore',
      ],
    },
    zone: 'UTC',
  },
  {
    name: 'Kraken OHLCVT',
    headless: { first: EPOCH, second: NUMBER, last: /^\d+$/, names: ['timestamp', ...OHLCV, 'trades'] },
    zone: 'UTC',
  },
  {
    name: 'epoch, open, high, low, close, volume, turnover without a header (Bybit)',
    headless: { first: /^\d{13}$/, second: NUMBER, names: ['timestamp', ...OHLCV, 'quote_volume'] },
    ...{ zone: 'UTC', note: NO_NAMES },
  },
  {
    name: 'epoch, open, high, low, close, volume, turnover without a header',
    headless: { first: EPOCH, second: NUMBER, names: ['timestamp', ...OHLCV, 'quote_volume'] },
    ...{ zone: 'UTC', stamp: 'ask', note: 'Cryptowatch names the ends of bars in this form, others name their starts' },
  },
  {
    name: 'OKX (REST)',
    headless: {
      ...{ first: /^\d{13}$/, second: NUMBER, last: /^[01]$/ },
      names: ['timestamp', ...OHLCV, 'volume_currency', 'quote_volume', 'confirm'],
    },
    zone: 'UTC',
  },
  {
    name: 'Kraken OHLC (REST)',
    headless: {
      ...{ first: /^\d{10}$/, second: NUMBER, last: /^\d+$/ },
      names: ['timestamp', ...OHLCV.slice(0, 4), 'vwap', 'volume', 'trades'],
    },
    zone: 'UTC',
    note: 'the columns have no names; the last bar may have been unfinished when the file was written',
  },
  {
    name: 'MetaTrader 4 or HistData for MetaTrader',
    headless: { first: /^\d{4}\.\d\d\.\d\d$/, second: /^\d\d:\d\d$/, names: ['date', 'time', ...OHLCV] },
    zone: 'ask',
    note: `${BROKER_TIME}; HistData writes --tz UTC-5`,
  },
  {
    name: 'HistData ASCII',
    headless: { first: /^\d{8} \d{6}$/, names: ['datetime', ...OHLCV] },
    zone: 'UTC-5',
    withVolume: {
      name: 'NinjaTrader, or another program of its form',
      zone: 'ask',
      note: 'No file of its form says its zone, and NinjaTrader names the ends of bars (--times end); HistData has no volume',
    },
  },
  {
    name: 'date, open, high, low, close, volume without a header',
    headless: { first: /^(19|20)\d\d(0[1-9]|1[0-2])[0-3]\d$/, second: NUMBER, names: ['date', ...OHLCV] },
    note: NO_NAMES,
  },
  {
    name: 'LEAN daily or hourly',
    headless: { first: /^\d{8} \d\d:\d\d$/, second: /^\d+$/, names: ['datetime', ...OHLCV] },
    per: { by: 10_000, zones: ['America/New_York', 'Asia/Kolkata'] },
  },
  {
    name: 'LEAN minutes',
    headless: { first: /^\d{1,8}$/, second: /^\d+$/, names: ['millisecond', ...OHLCV] },
    refused:
      'Its times are milliseconds of a day that only the path of the file names. Send daily or hourly files of LEAN, or CSV with dates.',
  },
  {
    name: 'trades (Kraken)',
    headless: { first: EPOCH, second: NUMBER, names: ['timestamp', 'price', 'volume'] },
    refused: TICKS,
  },
  { name: 'quotes (TrueFX)', headless: { first: /\//, names: ['symbol', 'time', 'bid', 'ask'] }, refused: TICKS },
  {
    name: 'trades (Binance aggTrades)',
    headless: {
      ...{ first: /^\d+$/, sixth: /^\d{13}(\d{3})?$/, last: /^(true|false)$/i },
      names: ['id', 'price', 'quantity', 'first', 'last', 'time', 'maker', 'best'],
    },
    refused: TICKS,
  },
  {
    name: 'Gate.io (REST)',
    headless: {
      ...{ first: /^\d{10}$/, second: NUMBER, last: /^(true|false)$/i },
      names: ['timestamp', 'quote_volume', 'close', 'high', 'low', 'open', 'volume', 'closed'],
    },
    zone: 'UTC',
  },
  {
    name: 'epoch, open, high, low, close, volume without a header (freqtrade, ccxt)',
    headless: { first: EPOCH, second: NUMBER, names: ['timestamp', ...OHLCV] },
    zone: 'UTC',
    note: 'the columns have no names; the last bar may have been unfinished when the file was written',
  },
  {
    name: 'time, open, high, low, close, volume without a header (FirstRate and others)',
    headless: { first: /^(\d{4}-\d\d-\d\d|\d{8} \d\d:\d\d$)/, second: NUMBER, names: ['datetime', ...OHLCV] },
    note: 'the columns have no names; standard files of FirstRate are adjusted, and no file says so',
  },
  {
    name: 'date, time, open, high, low, close, volume without a header (Kibot and others)',
    headless: { first: A_DATE, second: /^\d{1,2}:\d\d(:\d\d)?$/, names: ['date', 'time', ...OHLCV] },
    note: NO_NAMES,
  },
  {
    name: 'date, open, high, low, close, volume without a header (Kibot and others)',
    headless: { first: A_DATE, second: NUMBER, names: ['date', ...OHLCV] },
    note: NO_NAMES,
  },
  {
    name: 'code, date, open, high, low, close, volume without a header (ASX and others)',
    headless: { first: /^[A-Z][A-Z0-9.]*$/, second: /^(19|20)\d{6}$/, names: ['ticker', 'date', ...OHLCV] },
    note: NO_NAMES,
  },
];

const YFINANCE: PriceFormat = {
  name: 'yfinance download',
  adjusted: 'columns of yfinance without Adj Close: auto_adjust was on, as it is by default',
};

const PLAIN: PriceFormat = { name: 'plain columns' };

/** The names and the format of a table; null where it has neither the columns of bars nor a form that is known. */
export function formatOf({
  names,
  rows,
  instruments,
}: CellTable): { readonly format: PriceFormat; readonly names: readonly string[] } | null {
  if (names && instruments) return { format: YFINANCE, names };
  if (names) {
    const format = PRICE_FORMATS.find(({ columns }) => columns?.every((name) => names.includes(name)));
    return { format: format ?? PLAIN, names };
  }
  const format = PRICE_FORMATS.find(
    (each) => each.headless && rows.slice(0, 3).every((row) => hasForm(each.headless, row)),
  );
  return format?.headless ? { format, names: format.headless.names } : null;
}

function hasForm(headless: PriceFormat['headless'], { cells }: Row): boolean {
  if (!headless || cells.length !== headless.names.length) return false;
  const places = [
    [0, headless.first],
    [1, headless.second],
    [5, headless.sixth],
    [-1, headless.last],
  ] as const;
  return places.every(([place, form]) => form?.test(cells.at(place) ?? '') ?? true);
}

/** The two formats whose columns are nearest to these, each with what differs; none that has no column in common. */
export function closestFormats(names: readonly string[]): readonly string[] {
  const expected = PRICE_FORMATS.flatMap(({ name, columns, headless }) => {
    const wanted = columns ?? headless?.names ?? [];
    const missing = wanted.filter((each) => !names.includes(each));
    return missing.length === wanted.length ? [] : [{ name, missing, share: missing.length / wanted.length }];
  });
  return expected
    .toSorted((a, b) => a.share - b.share || a.missing.length - b.missing.length)
    .slice(0, 2)
    .map(({ name, missing }) => `${name}: the file lacks ${missing.join(', ')}`);
}
