import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

/** Files in the forms of many writers, made by hand; each has the days or hours of `DAYS`, `HOURS` or `MINUTES`. */
export interface PriceFile {
  readonly name: string;
  readonly bytes: string | Uint8Array;
  readonly of: 'days' | 'hours' | 'minutes' | 'coin_hours' | 'coin_days' | 'china_days' | 'china_minutes';
  readonly format: string;
  /** Options of the command that the file asks for. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether it has no volume, or has one in a column that says nothing. */
  readonly noVolume?: true;
}

/** Open, high, low, close and volume of each row. */
export const PRICES: readonly (readonly [number, number, number, number, number])[] = [
  [101.25, 103.5, 100.75, 102.5, 1200],
  [102.5, 104.25, 101.5, 103.75, 1300],
  [103.75, 106.5, 103.25, 105.25, 1400],
  [105.25, 105.75, 102.25, 102.75, 1500],
];

/** Thursday to Tuesday: a weekend is between them. */
export const DATES = ['2026-01-15', '2026-01-16', '2026-01-20', '2026-01-21'];
/** New York, from the open of a session. */
const CLOCKS = ['09:30', '10:30', '11:30', '12:30'];
const FIVE = ['09:30', '09:35', '09:40', '09:45'];

type Line = (row: readonly [number, number, number, number, number], index: number) => string;
const lines = (header: string, line: Line, end = '\n', order: 'old' | 'new' = 'old') => {
  const rows = PRICES.map(line);
  return [...(header === '' ? [] : [header]), ...(order === 'old' ? rows : rows.reverse())].join(end) + end;
};
const date = (index: number) => DATES[index] ?? '';
const [y, m, d] = [0, 1, 2].map((part) => (index: number) => date(index).split('-')[part] ?? '') as [
  (i: number) => string,
  (i: number) => string,
  (i: number) => string,
];
/** The instant of an hour of New York in January. */
const hour = (index: number) => Date.UTC(2026, 0, 15, 14, 30) + index * 3_600_000;
const coin = (index: number) => Date.UTC(2026, 0, 15) + index * 3_600_000;
const day = (index: number) => Date.UTC(2026, 0, 15) + index * 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const comma = (value: number) => String(value).replace('.', ',');
const MONTH = 'Jan';

const china = ['2026-01-15', '2026-01-16', '2026-01-19', '2026-01-20'];
const chinaEnd = ['09:35', '09:40', '09:45', '09:50'];

const plainDays = lines(
  'Date,Open,High,Low,Close,Volume',
  ([o, h, l, c, v], i) => `${date(i)},${o},${h},${l},${c},${v}`,
);
const utf16 = (text: string) => new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from(text, 'utf16le'))]);

const ALPACA = PRICES.map(([o, h, l, c, v], i) => ({
  t: `2026-01-15T${14 + i}:30:00Z`,
  o,
  h,
  l,
  c,
  v,
  n: 65,
  vw: 1.5,
}));

export const PRICE_FILES: readonly PriceFile[] = [
  ...[
    ['Yahoo, older', 'Date,Open,High,Low,Close,Adj Close,Volume', 'Yahoo Finance download'],
    ['EODHD days', 'Date,Open,High,Low,Close,Adjusted_close,Volume', 'EODHD days'],
  ].map(([name = '', header = '', format = '']) => ({
    name,
    of: 'days' as const,
    format,
    bytes: lines(header, ([o, h, l, c, v], i) => `${date(i)},${o},${h},${l},${c},${c / 2},${v}`),
  })),
  {
    name: 'Tiingo',
    of: 'days',
    format: 'Tiingo',
    bytes: lines(
      'date,close,high,low,open,volume,adjClose,adjHigh,adjLow,adjOpen,adjVolume,divCash,splitFactor',
      ([o, h, l, c, v], i) => `${date(i)},${c},${h},${l},${o},${v},1,1,1,1,1,0.0,1.0`,
    ),
  },
  {
    name: 'Alpha Vantage, adjusted days, new first',
    of: 'days',
    format: 'Alpha Vantage adjusted',
    bytes: lines(
      'timestamp,open,high,low,close,adjusted_close,volume,dividend_amount,split_coefficient',
      ([o, h, l, c, v], i) => `${date(i)},${o},${h},${l},${c},1,${v},0,1.0`,
      '\n',
      'new',
    ),
  },
  {
    name: 'MetaTrader 5, days',
    of: 'days',
    format: 'MetaTrader 5',
    bytes: lines(
      '<DATE>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
      ([o, h, l, c, v], i) => `${date(i).replaceAll('-', '.')}\t${o}\t${h}\t${l}\t${c}\t${v}\t0\t2`,
      '\r\n',
    ),
  },
  {
    name: 'FMP, older',
    of: 'days',
    format: 'FMP',
    bytes: JSON.stringify({
      symbol: 'AAPL',
      historical: PRICES.map(([open, high, low, close, volume], i) => ({
        ...{
          date: date(i),
          open,
          high,
          low,
          close,
          adjClose: 1,
          volume,
          changePercent: 1,
          vwap: 1,
          label: 'January 15, 26',
        },
      })).reverse(),
    }),
  },
  {
    name: 'Twelve Data JSON',
    of: 'days',
    format: 'plain columns',
    bytes: JSON.stringify({
      meta: { symbol: 'AAPL' },
      values: PRICES.map(([open, high, low, close, volume], i) => ({
        ...{
          datetime: date(i),
          open: `${open}`,
          high: `${high}`,
          low: `${low}`,
          close: `${close}`,
          volume: `${volume}`,
        },
      })),
    }),
  },
  ...(
    [
      ['Massive', 'days', (i) => ({ t: Date.parse(`${date(i)}T05:00Z`) })],
      ['Massive, hours', 'hours', (i) => ({ t: hour(i) })],
    ] as readonly (readonly [string, 'days' | 'hours', (i: number) => object])[]
  ).map(([name, of, time]) => ({
    name: `${name}, REST`,
    ...{ of, format: 'Massive or Alpaca (REST)', options: { already_adjusted: true } },
    bytes: JSON.stringify({
      ...{ ticker: 'AAPL', queryCount: 4, resultsCount: 4, adjusted: true },
      results: PRICES.map(([o, h, l, c, v], i) => ({ v, vw: 100.1, o, c, h, l, ...time(i), n: 7 })),
      ...{ status: 'OK', request_id: '6a7e466379af0a71039d60cc78e72282', count: 4 },
    }),
  })),
  {
    name: 'Alpaca, one symbol',
    of: 'hours',
    format: 'Massive or Alpaca (REST)',
    bytes: JSON.stringify({ bars: ALPACA, symbol: 'AAPL', next_page_token: null }),
  },
  {
    name: 'Alpaca, several symbols',
    of: 'hours',
    format: 'Massive or Alpaca (REST)',
    options: { only: 'AAPL' },
    bytes: JSON.stringify({ bars: { MSFT: ALPACA.slice(1), AAPL: ALPACA }, next_page_token: null }),
  },
  {
    name: 'Massive, REST, as a table of pandas',
    of: 'hours',
    format: 'Massive or Alpaca (REST)',
    bytes: lines(',v,vw,o,c,h,l,t,n', ([o, h, l, c, v], i) => `${i},${v},1,${o},${c},${h},${l},${hour(i)},7`),
  },
  { name: 'plain', of: 'days', format: 'plain columns', bytes: plainDays },
  { name: 'UTF-16 with tabs', of: 'days', format: 'plain columns', bytes: utf16(plainDays.replaceAll(',', '\t')) },
  {
    name: 'a byte order mark and CRLF',
    of: 'days',
    format: 'plain columns',
    bytes: `\uFEFF${plainDays.replaceAll('\n', '\r\n')}`,
  },
  { name: 'gzip', of: 'days', format: 'plain columns', bytes: gzipSync(plainDays) },
  {
    name: 'zip',
    of: 'days',
    format: 'plain columns',
    bytes: zipSync({ 'readme.md': strToU8('x'), 'AAPL.csv': strToU8(plainDays) }),
  },
  {
    name: 'zip of two',
    of: 'days',
    format: 'plain columns',
    bytes: zipSync({ 'MSFT.csv': strToU8('x'), 'AAPL.csv': strToU8(plainDays) }),
    options: { member: 'AAPL.csv' },
  },
  {
    name: 'TradingView, seconds',
    of: 'hours',
    format: 'plain columns',
    bytes: lines(
      'time,open,high,low,close,Volume,MA,MA',
      ([o, h, l, c, v], i) => `${hour(i) / 1000},${o},${h},${l},${c},${v},1,2`,
    ),
  },
  {
    name: 'TradingView, ISO with offset',
    of: 'hours',
    format: 'plain columns',
    bytes: lines(
      'time,open,high,low,close,Volume',
      ([o, h, l, c, v], i) => `2026-01-15T${CLOCKS[i]}:00-05:00,${o},${h},${l},${c},${v}`,
    ),
  },
  ...([1, 1000] as const).map((unit) => ({
    name: `Binance spot klines in units of ${unit}`,
    of: 'coin_hours' as const,
    format: 'Binance klines',
    bytes: lines(
      '',
      ([o, h, l, c, v], i) =>
        `${coin(i) * unit},${o},${h},${l},${c},${v},${(coin(i) + 3_600_000) * unit - 1},1,1,1,1,0`,
    ),
  })),
  {
    name: 'Binance futures',
    of: 'coin_hours',
    format: 'Binance futures klines',
    bytes: lines(
      'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore',
      ([o, h, l, c, v], i) => `${coin(i)},${o},${h},${l},${c},${v},${coin(i) + 3_599_999},1,1,1,1,0`,
    ),
  },
  {
    name: 'Kraken',
    of: 'coin_hours',
    format: 'Kraken OHLCVT',
    bytes: lines('', ([o, h, l, c, v], i) => `${coin(i) / 1000},${o},${h},${l},${c},${v},9`),
  },
  {
    name: 'CryptoDataDownload, new first',
    of: 'coin_hours',
    format: 'CryptoDataDownload',
    bytes: `https://www.CryptoDataDownload.com\n${lines('unix,date,symbol,open,high,low,close,Volume BTC,Volume USD', ([o, h, l, c, v], i) => `${coin(i) / 1000},2026-01-15 0${i}:00:00,BTC/USD,${o},${h},${l},${c},${v},${v * 100}`, '\n', 'new')}`,
  },
  {
    name: 'MetaTrader 5, clocks of New York and seven hours',
    of: 'hours',
    format: 'MetaTrader 5',
    options: { time_zone: 'America/New_York+7h' },
    bytes: lines(
      '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
      ([o, h, l, c, v], i) => `2026.01.15\t${16 + i}:30:00\t${o}\t${h}\t${l}\t${c}\t${v}\t0\t2`,
      '\r\n',
    ),
  },
  {
    name: 'MetaTrader 5 from Python',
    of: 'hours',
    format: 'MetaTrader 5 (Python)',
    options: { time_zone: 'America/New_York+7h' },
    bytes: lines(
      'time,open,high,low,close,tick_volume,spread,real_volume',
      ([o, h, l, c, v], i) => `${(hour(i) + 2 * 3_600_000) / 1000},${o},${h},${l},${c},${v},2,0`,
    ),
  },
  {
    name: 'MetaTrader 4',
    of: 'hours',
    format: 'MetaTrader 4 or HistData for MetaTrader',
    options: { time_zone: 'America/New_York+7h' },
    bytes: lines('', ([o, h, l, c, v], i) => `2026.01.15,${16 + i}:30,${o},${h},${l},${c},${v}`),
  },
  {
    name: 'HistData for MetaTrader',
    of: 'hours',
    format: 'MetaTrader 4 or HistData for MetaTrader',
    options: { time_zone: 'UTC-5' },
    noVolume: true,
    bytes: lines('', ([o, h, l, c], i) => `2026.01.15,${CLOCKS[i]},${o},${h},${l},${c},0`),
  },
  {
    name: 'HistData ASCII',
    of: 'hours',
    format: 'HistData ASCII',
    noVolume: true,
    bytes: lines('', ([o, h, l, c], i) => `20260115 ${CLOCKS[i]?.replace(':', '')}00;${o};${h};${l};${c};0`),
  },
  {
    name: 'Dukascopy',
    of: 'hours',
    format: 'Dukascopy',
    bytes: lines(
      'Gmt time,Open,High,Low,Close,Volume',
      ([o, h, l, c, v], i) => `15.01.2026 ${14 + i}:30:00.000,${o},${h},${l},${c},${v}`,
    ),
  },
  {
    name: 'Dukascopy, newer',
    of: 'hours',
    format: 'Dukascopy (UTC)',
    bytes: lines(
      'Time (UTC),Open,High,Low,Close,Volume ',
      ([o, h, l, c, v], i) => `2026.01.15 ${14 + i}:30:00,${o},${h},${l},${c},${v}`,
    ),
  },
  {
    name: 'Dukascopy, local time with its offset',
    of: 'hours',
    format: 'Dukascopy (local time)',
    bytes: lines(
      'Local time,Open,High,Low,Close,Volume',
      ([o, h, l, c, v], i) => `15.01.2026 ${15 + i}:30:00.000 GMT+0100,${o},${h},${l},${c},${v}`,
    ),
  },
  {
    name: 'decimal commas and semicolons',
    of: 'hours',
    format: 'plain columns',
    bytes: lines(
      'datetime;open;high;low;close;volume',
      ([o, h, l, c, v], i) => `2026-01-15 ${CLOCKS[i]}:00;${comma(o)};${comma(h)};${comma(l)};${comma(c)};${v}`,
    ),
  },
  {
    name: 'Twelve Data, new first',
    of: 'hours',
    format: 'plain columns',
    bytes: lines(
      'datetime;open;high;low;close;volume',
      ([o, h, l, c, v], i) => `2026-01-15 ${CLOCKS[i]}:00;${o};${h};${l};${c};${v}`,
      '\n',
      'new',
    ),
  },
  {
    name: 'dukascopy-node',
    of: 'hours',
    format: 'plain columns',
    bytes: lines('timestamp,open,high,low,close,volume', ([o, h, l, c, v], i) => `${hour(i)},${o},${h},${l},${c},${v}`),
  },
  {
    name: 'Nasdaq.com, new first',
    of: 'days',
    format: 'Nasdaq.com',
    bytes: lines(
      'Date,Close/Last,Volume,Open,High,Low',
      ([o, h, l, c, v], i) => `${m(i)}/${d(i)}/${y(i)},$${c},${v},$${o},$${h},$${l}`,
      '\n',
      'new',
    ),
  },
  {
    name: 'investing.com',
    of: 'days',
    format: 'investing.com',
    bytes: `\uFEFF${lines('"Date","Price","Open","High","Low","Vol.","Change %"', ([o, h, l, c, v], i) => `"${m(i)}/${d(i)}/${y(i)}","${c}","${o}","${h}","${l}","${v / 1000}K","1.2%"`, '\n', 'new')}`,
  },
  {
    name: 'investing.com in another language of numbers',
    of: 'days',
    format: 'investing.com',
    bytes: lines(
      '"Date","Price","Open","High","Low","Vol.","Change %"',
      ([o, h, l, c, v], i) =>
        `"${d(i)}.${m(i)}.${y(i)}","${comma(c)}","${comma(o)}","${comma(h)}","${comma(l)}","${comma(v / 1000)}K","1,2%"`,
    ),
  },
  {
    name: 'investing.com, months as words',
    of: 'days',
    format: 'investing.com',
    bytes: lines(
      '"Date","Price","Open","High","Low","Vol.","Change %"',
      ([o, h, l, c, v], i) => `"${MONTH} ${d(i)}, ${y(i)}","${c}","${o}","${h}","${l}","${v}","1.2%"`,
    ),
  },
  {
    name: 'yfinance download of two, with Adj Close',
    of: 'days',
    format: 'yfinance download',
    options: { only: 'AAPL', already_adjusted: true },
    bytes: `Price,Close,Close,High,High,Low,Low,Open,Open,Volume,Volume\nTicker,MSFT,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT,AAPL\nDate,,,,,,,,,,\n${lines('', ([o, h, l, c, v], i) => `${date(i)},1,${c},1,${h},1,${l},1,${o},1,${v}`)}`,
  },
  {
    name: 'yfinance download whose index has no name',
    of: 'days',
    format: 'yfinance download',
    options: { already_adjusted: true },
    bytes: `Price,Close,High,Low,Open,Volume\nTicker,AAPL,AAPL,AAPL,AAPL,AAPL\n${lines('', ([o, h, l, c, v], i) => `${date(i)},${c},${h},${l},${o},${v}`)}`,
  },
  {
    name: 'yfinance history',
    of: 'days',
    format: 'yfinance history',
    options: { already_adjusted: true },
    bytes: lines(
      'Date,Open,High,Low,Close,Volume,Dividends,Stock Splits',
      ([o, h, l, c, v], i) => `${date(i)} 00:00:00-05:00,${o},${h},${l},${c},${v},0.0,0.0`,
    ),
  },
  {
    name: 'Massive, many tickers',
    of: 'days',
    format: 'Massive flat file',
    options: { only: 'AAPL' },
    bytes: gzipSync(
      `ticker,volume,open,close,high,low,window_start,transactions\nA,1,1,1,1,1,1768453200000000000,1\n${lines('', ([o, h, l, c, v], i) => `AAPL,${v},${o},${c},${h},${l},${Date.parse(`${date(i)}T05:00Z`)}000000,7`)}`,
    ),
  },
  {
    name: 'akshare days',
    of: 'china_days',
    format: 'akshare days',
    bytes: lines(
      ',日期,股票代码,开盘,收盘,最高,最低,成交量,成交额,振幅',
      ([o, h, l, c, v], i) => `${i},${china[i]},600000,${o},${c},${h},${l},${v / 100},1,1`,
    ),
  },
  {
    name: 'akshare minutes, by their ends',
    of: 'china_minutes',
    format: 'akshare minutes',
    bytes: lines(
      '时间,开盘,收盘,最高,最低,涨跌幅,成交量',
      ([o, h, l, c, v], i) => `2026-01-15 ${chinaEnd[i]}:00,${o},${c},${h},${l},0,${v / 100}`,
    ),
  },
  {
    name: 'baostock days, with a suspended one',
    of: 'china_days',
    format: 'baostock days',
    bytes: `${lines('date,code,open,high,low,close,preclose,volume,amount,adjustflag,turn,tradestatus,pctChg,isST', ([o, h, l, c, v], i) => `${china[i]},sh.600000,${o},${h},${l},${c},1,${v},1,3,1,1,1,0`)}2026-01-21,sh.600000,9,9,9,9,9,0,0,3,,0,0,0\n`,
  },
  {
    name: 'baostock minutes, by their ends',
    of: 'china_minutes',
    format: 'baostock minutes',
    bytes: lines(
      'date,time,code,open,high,low,close,volume,amount,adjustflag',
      ([o, h, l, c, v], i) =>
        `2026-01-15,20260115${chinaEnd[i]?.replace(':', '')}00000,sh.600000,${o},${h},${l},${c},${v},1,3`,
    ),
  },
  {
    name: 'tushare minutes, new first',
    of: 'china_minutes',
    format: 'tushare minutes',
    bytes: lines(
      'ts_code,trade_time,open,close,high,low,vol,amount',
      ([o, h, l, c, v], i) => `600000.SH,2026-01-15 ${chinaEnd[i]}:00,${o},${c},${h},${l},${v},1`,
      '\n',
      'new',
    ),
  },
  {
    name: 'tushare days',
    of: 'china_days',
    format: 'tushare days',
    bytes: lines(
      'ts_code,trade_date,open,high,low,close,pre_close,vol,amount',
      ([o, h, l, c, v], i) => `600000.SH,${china[i]?.replaceAll('-', '')},${o},${h},${l},${c},1,${v / 100},1`,
    ),
  },
  {
    name: 'EODHD intraday',
    of: 'hours',
    format: 'EODHD intraday',
    bytes: lines(
      'Timestamp,Gmtoffset,Datetime,Open,High,Low,Close,Volume',
      ([o, h, l, c, v], i) =>
        `${hour(i) / 1000},0,"${at(hour(i)).slice(0, 19).replace('T', ' ')}",${o},${h},${l},${c},${v}`,
    ),
  },
  {
    name: 'Stooq bulk',
    of: 'hours',
    format: 'Stooq bulk',
    options: { already_adjusted: true },
    bytes: lines(
      '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>',
      ([o, h, l, c, v], i) => `AAPL.US,60,20260115,${CLOCKS[i]?.replace(':', '')}00,${o},${h},${l},${c},${v},0`,
      '\r\n',
    ),
  },
  {
    name: 'Alpha Vantage, new first',
    of: 'hours',
    format: 'plain columns',
    bytes: lines(
      'timestamp,open,high,low,close,volume',
      ([o, h, l, c, v], i) => `2026-01-15 ${CLOCKS[i]}:00,${o},${h},${l},${c},${v}`,
      '\n',
      'new',
    ),
  },
  {
    name: 'Alpha Vantage JSON',
    of: 'days',
    format: 'plain columns',
    bytes: JSON.stringify({
      'Meta Data': { '1. Information': 'Daily' },
      'Time Series (Daily)': Object.fromEntries(
        PRICES.map(([o, h, l, c, v], i) => [
          date(i),
          { '1. open': `${o}`, '2. high': `${h}`, '3. low': `${l}`, '4. close': `${c}`, '5. volume': `${v}` },
        ]),
      ),
    }),
  },
  {
    name: 'Interactive Brokers',
    of: 'hours',
    format: 'Interactive Brokers',
    bytes: `${lines('date,open,high,low,close,volume,average,barCount', ([o, h, l, c, v], i) => `20260115 ${CLOCKS[i]}:00 US/Eastern,${o},${h},${l},${c},${v},1,1`)}finished-20260115,-1,-1,-1,-1,-1,-1,-1\n`,
  },
  {
    name: 'freqtrade JSON',
    of: 'coin_hours',
    format: 'epoch, open, high, low, close, volume without a header (freqtrade, ccxt)',
    bytes: JSON.stringify(PRICES.map((row, i) => [coin(i), ...row])),
  },
  {
    name: 'a table of ccxt, with an index',
    of: 'coin_days',
    format: 'plain columns',
    bytes: lines(
      ',timestamp,open,high,low,close,volume',
      ([o, h, l, c, v], i) => `${i},${day(i)},${o},${h},${l},${c},${v}`,
    ),
  },
  {
    name: 'Barchart',
    of: 'days',
    format: 'Barchart',
    bytes: `${lines('Time,Open,High,Low,Latest,Change,%Change,Volume', ([o, h, l, c, v], i) => `${date(i)},${o},${h},${l},${c},1,1%,"${v.toLocaleString('en-US')}"`, '\n', 'new')}"Downloaded from Barchart.com as of 01-22-2026 05:00am CST"\n`,
  },
  {
    name: 'Barchart, older',
    of: 'days',
    format: 'Barchart (old)',
    bytes: lines(
      'Time,Open,High,Low,Last,Change,%Chg,Volume',
      ([o, h, l, c, v], i) => `${m(i)}/${d(i)}/${y(i)},${o},${h},${l},${c},1,1%,${v}`,
      '\n',
      'new',
    ),
  },
  {
    name: 'FMP',
    of: 'days',
    format: 'FMP',
    bytes: JSON.stringify(
      PRICES.map(([open, high, low, close, volume], i) => ({
        symbol: 'AAPL',
        date: date(i),
        open,
        high,
        low,
        close,
        volume,
        change: 1,
        changePercent: 1,
        vwap: 1,
      })).reverse(),
    ),
  },
  {
    name: 'FirstRate',
    of: 'hours',
    format: 'time, open, high, low, close, volume without a header (FirstRate and others)',
    bytes: lines('', ([o, h, l, c, v], i) => `2026-01-15 ${CLOCKS[i]}:00,${o},${h},${l},${c},${v}`),
  },
  {
    name: 'Norgate',
    of: 'days',
    format: 'Norgate',
    options: { already_adjusted: true },
    bytes: lines(
      'Date,Open,High,Low,Close,Volume,Turnover,Unadjusted Close,Dividend',
      ([o, h, l, c, v], i) => `${date(i)},${o},${h},${l},${c},${v},1,9,0`,
    ),
  },
  {
    name: 'LEAN',
    of: 'days',
    format: 'LEAN daily or hourly',
    bytes: lines(
      '',
      ([o, h, l, c, v], i) =>
        `${date(i).replaceAll('-', '')} 00:00,${o * 10_000},${h * 10_000},${l * 10_000},${c * 10_000},${v}`,
    ),
  },
  {
    name: 'pandas, an index without a name',
    of: 'days',
    format: 'plain columns',
    bytes: lines(',open,high,low,close,volume', ([o, h, l, c, v], i) => `${date(i)},${o},${h},${l},${c},${v}`),
  },
  {
    name: 'five minutes by their ends',
    of: 'minutes',
    format: 'plain columns',
    options: { times: 'end' },
    bytes: lines(
      'datetime,open,high,low,close,volume',
      ([o, h, l, c, v], i) => `2026-01-15 09:${35 + 5 * i},${o},${h},${l},${c},${v}`,
    ),
  },
  {
    name: 'five minutes with AM',
    of: 'minutes',
    format: 'plain columns',
    bytes: lines(
      'Date,Time,Open,High,Low,Close,Volume',
      ([o, h, l, c, v], i) => `01/15/2026,${FIVE[i]?.slice(1)} AM,${o},${h},${l},${c},${v}`,
    ),
  },
];
