import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { parseForeignActions } from '../../../../adapters/market/files/foreign/read-actions.ts';
import { readForeignBars } from '../../../../adapters/market/files/foreign/read-bars.ts';
import type { ForeignForm } from '../../../../adapters/market/files/foreign/read-rows.ts';
import type { BarSize } from '../../../../domain/market/bars.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { DATES, PRICE_FILES, PRICES, type PriceFile } from './price-files.ts';

const US = {
  symbol: 'AAPL',
  calendar: calendarOf({ market: 'stock', venue: 'NASDAQ' }),
  venue_zone: 'America/New_York',
};
const CHINA = {
  symbol: '600000',
  calendar: calendarOf({ market: 'stock', venue: 'SSE' }),
  venue_zone: 'Asia/Shanghai',
};
const COIN = { symbol: 'BTC', calendar: calendarOf({ market: 'crypto', venue: 'KRAKEN' }), venue_zone: 'UTC' };
const NASDAQ: ForeignForm = { ...US, size: '1h' };
const KRAKEN: ForeignForm = { ...COIN, size: '1h' };

const FORMS: Readonly<Record<PriceFile['of'], readonly [Omit<ForeignForm, 'size'>, BarSize, string, string]>> = {
  days: [US, '1d', '2026-01-15T14:30', '2026-01-21T21:00'],
  hours: [US, '1h', '2026-01-15T14:30', '2026-01-15T18:30'],
  minutes: [US, '5m', '2026-01-15T14:30', '2026-01-15T14:50'],
  coin_hours: [COIN, '1h', '2026-01-15T00:00', '2026-01-15T04:00'],
  coin_days: [COIN, '1d', '2026-01-15T00:00', '2026-01-19T00:00'],
  china_days: [CHINA, '1d', '2026-01-15T01:30', '2026-01-20T07:00'],
  china_minutes: [CHINA, '5m', '2026-01-15T01:30', '2026-01-15T01:50'],
};

const minute = (at: number | undefined) => new Date(at ?? 0).toISOString().slice(0, 16);
const read = (text: string | Uint8Array, form: ForeignForm) =>
  readForeignBars(typeof text === 'string' ? Buffer.from(text) : text, form);
const rows = (header: string, ...lines: readonly string[]) => [header, ...lines].join('\n');
const OHLC = 'datetime,open,high,low,close';
const spans = async (form: ForeignForm, header: string, ...lines: readonly string[]) =>
  (await read(rows(header, ...lines), form)).bars.map(({ start, end }) => `${minute(start)} ${minute(end)}`);

test.each(PRICE_FILES)('$name: the same bars as in a plain table', async ({ bytes, of, format, options, noVolume }) => {
  const [venue, size, from, to] = FORMS[of];
  const found = await read(bytes, { ...venue, size, ...options });
  const bars = found.bars.toSorted((a, b) => a.start - b.start);
  expect([found.format, minute(bars[0]?.start), minute(bars.at(-1)?.end)]).toEqual([format, from, to]);
  const known = bars.map(({ open, high, low, close, volume }) => [
    open,
    high,
    low,
    close,
    volume && Math.round(volume),
  ]);
  expect(known).toEqual(
    PRICES.map(([open, high, low, close, volume]) => [open, high, low, close, noVolume ? null : volume]),
  );
});

test.each([
  ['with a zone', true, 14],
  ['without one', false, 9],
])('Parquet, times %s', async (_, isAdjustedToUTC, hour) => {
  const column = (name: string, place: number) => ({ name, data: PRICES.map((row) => row[place] ?? 0) });
  const times = PRICES.map((_row, index) => BigInt(Date.UTC(2026, 0, 15, hour + index, 30)));
  const file = parquetWriteBuffer({
    columnData: [...['open', 'high', 'low', 'close', 'volume'].map(column), { name: 'date', data: times }],
    schema: [
      { name: 'root', num_children: 6 },
      ...['open', 'high', 'low', 'close', 'volume'].map((name) => ({
        name,
        type: 'DOUBLE' as const,
        repetition_type: 'REQUIRED' as const,
      })),
      {
        name: 'date',
        type: 'INT64',
        repetition_type: 'REQUIRED',
        converted_type: isAdjustedToUTC ? 'TIMESTAMP_MILLIS' : undefined,
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MILLIS' },
      } as never,
    ],
  });
  const { bars } = await read(new Uint8Array(file), NASDAQ);
  expect(bars.map(({ start, close }) => [minute(start), close])).toEqual(
    PRICES.map(([, , , close], index) => [`2026-01-15T${14 + index}:30`, close]),
  );
});

const FIVE = ['09:30', '09:35', '09:40', '09:45'];
const hoursOn = (dates: readonly string[], clocks: readonly string[]) =>
  dates.flatMap((date) => clocks.map((clock) => `${date} ${clock},1,2,1,2`));
const MINUTES: ForeignForm = { ...US, size: '5m' };
/** Rows of five minutes from so many minutes after the open, on each date; they may reach into the next one. */
const fives = (later: number, count: number) =>
  DATES.flatMap((date) =>
    Array.from({ length: count }, (_, n) => {
      const at = new Date(Date.parse(`${date}T09:30:00Z`) + (later + 5 * n) * 60_000);
      return `${at.toISOString().slice(0, 16).replace('T', ' ')},1,2,1,2`;
    }),
  );
const UNTIL_HALF_PAST_THREE = ['09:30', '10:30', '11:30', '12:30', '13:30', '14:30'];
const hoursFrom = (first: number, last: number, minutes: string) =>
  Array.from({ length: last - first + 1 }, (_, n) => `${String(first + n).padStart(2, '0')}${minutes}`);
const anHourBefore = (clock: string) => `${String(Number(clock.slice(0, 2)) - 1).padStart(2, '0')}${clock.slice(2)}`;
const BAR = { date: '2026-01-15', open: 1, high: 2, low: 1, close: 2 };
const SESSION = ['09:30', '10:30', '11:30', '12:30', '13:30', '14:30', '15:30'];
const ENDS = ['10:30', '11:30', '12:30', '13:30', '14:30', '15:30', '16:00'];

const TDX =
  '\u65e5\u671f\t\u5f00\u76d8\t\u6700\u9ad8\t\u6700\u4f4e\t\u6536\u76d8\t\u6210\u4ea4\u91cf\t\u6210\u4ea4\u989d';
const COIN_IN_USD = { ...COIN, quote_currency: 'USD', asset_class: 'spot' } as const;

describe('what contradicts the file, the calendar or its own words is refused with what to send', () => {
  const cases: readonly (readonly [string, string | Uint8Array, ForeignForm, RegExp])[] = [
    ['ends read as starts', rows(OHLC, ...hoursOn(DATES, ENDS)), NASDAQ, /name the ends of bars\. Send --times end/],
    [
      'starts read as ends',
      rows(OHLC, ...hoursOn(DATES, SESSION)),
      { ...NASDAQ, times: 'end' },
      /name the starts of bars\. Send --times start/,
    ],
    [
      'hours as days',
      rows(OHLC, ...hoursOn(DATES, SESSION)),
      { ...NASDAQ, size: '1d' },
      /mostly 1 hours apart.*Send --size 1h/,
    ],
    ['five minutes as hours', rows(OHLC, ...hoursOn(DATES, FIVE)), NASDAQ, /mostly 5 minutes apart.*Send --size 5m/],
    [
      'days as hours',
      rows('date,open,high,low,close', ...DATES.map((date) => `${date},1,2,1,2`)),
      NASDAQ,
      /Send --size 1d/,
    ],
    [
      'weeks as days',
      rows(
        'date,open,high,low,close',
        ...['05', '12', '20', '26'].map((day) => `2026-01-${day},1,2,1,2`),
        '2026-02-02,1,2,1,2',
      ),
      { ...NASDAQ, size: '1d' },
      /days apart.*Send bars of 1m, 5m, 1h or 1d/,
    ],
    [
      'hours as minutes',
      rows('unix,open,high,low,close', ...[0, 1, 2, 3, 4].map((n) => `${1_768_435_200 + n * 3_600},1,2,1,2`)),
      { ...KRAKEN, size: '1m' },
      /Send --size 1h/,
    ],
    [
      'two instruments',
      rows(`ticker,${OHLC}`, 'A,2026-01-15 09:30,1,2,1,2', 'B,2026-01-15 09:30,1,2,1,2'),
      NASDAQ,
      /2 instruments: A, B\. Name one with --only/,
    ],
    [
      'another instrument',
      rows(`symbol,${OHLC}`, 'MSFT,2026-01-15 09:30,1,2,1,2'),
      NASDAQ,
      /about MSFT, not about AAPL.*--only MSFT/,
    ],
    ...['Security Id', 'TradingSymbol', 'Instrument Key', 'base_ticker'].map((name): (typeof cases)[number] => [
      `another instrument in a column ${name}`,
      rows(`Date,${name},Open,High,Low,Close`, '2026-01-15,XNAS:MSFT,1,2,1,2'),
      { ...US, size: '1d' },
      /about XNAS:MSFT, not about AAPL/,
    ]),
    [
      'an instrument that is not there',
      rows(`symbol,${OHLC}`, 'MSFT,2026-01-15 09:30,1,2,1,2'),
      { ...NASDAQ, only: 'IBM' },
      /no instrument IBM; it has MSFT/,
    ],
    [
      'prices that are adjusted',
      rows('Date,Open,High,Low,Close,Volume,Dividends,Stock Splits', '2026-01-15,1,2,1,2,3,0,0'),
      { ...NASDAQ, size: '1d' },
      /adjusted .*--already-adjusted/,
    ],
    [
      'prices adjusted by a flag',
      rows(
        'date,code,open,high,low,close,preclose,volume,adjustflag,tradestatus',
        '2026-01-15,sh.600000,1,2,1,2,1,9,2,1',
      ),
      { ...CHINA, size: '1d' },
      /adjustflag is 2/,
    ],
    [
      'the clock of a broker',
      rows(
        '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
        '2026.01.15\t16:30\t1\t2\t1\t2\t3\t0\t1',
      ),
      NASDAQ,
      /--tz America\/New_York\+7h.*Send --tz/,
    ],
    [
      'days of a broker for a coin',
      rows('<DATE>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<SPREAD>', '2026.01.15\t1\t2\t1\t2\t3\t1'),
      { ...KRAKEN, size: '1d' },
      /days of another zone; send hours/,
    ],
    [
      'quotes',
      rows('EUR/USD,20260115 21:59:00.123,1.1,1.2', 'EUR/USD,20260115 21:59:01.123,1.1,1.2'),
      KRAKEN,
      /single trades or quotes/,
    ],
    [
      'a month or a day',
      rows('date,open,high,low,close', '01/02/2026,1,2,1,2', '01/05/2026,1,2,1,2'),
      { ...NASDAQ, size: '1d' },
      /send --date-order mdy or dmy/,
    ],
    [
      'both orders',
      rows('date,open,high,low,close', '13/01/2026,1,2,1,2', '01/15/2026,1,2,1,2'),
      { ...NASDAQ, size: '1d' },
      /no order fits/,
    ],
    [
      'a day that begins at another midnight',
      rows(OHLC, '2026-01-15T05:00:00Z,1,2,1,2'),
      { ...KRAKEN, size: '1d' },
      /day of another zone; send hours/,
    ],
    [
      'a date or a moment',
      rows(
        OHLC,
        '2026-01-14T23:00:00-05:00,1,2,1,2',
        '2026-01-15T22:00:00-08:00,1,2,1,2',
        '2026-01-20T22:00:00-08:00,1,2,1,2',
      ),
      { ...NASDAQ, size: '1d' },
      /send --dates named or moment/,
    ],
    [
      'times shown twice without order',
      rows(OHLC, ...['00:30', '01:30', '01:00', '01:00', '02:30'].map((clock) => `2025-11-02 ${clock},1,2,1,2`)),
      { ...KRAKEN, time_zone: 'America/New_York' },
      /lines 3 and 4 .* twice/,
    ],
    [
      'a time that the clocks skip',
      rows(OHLC, '2026-03-08 02:30,1,2,1,2'),
      { ...KRAKEN, time_zone: 'America/New_York' },
      /skip this time/,
    ],
    ['a date for an hour', rows(OHLC, '2026-01-15,1,2,1,2'), NASDAQ, /line 2: a date alone.*--size 1d/],
    ['decimal commas among commas', rows(OHLC, '2026-01-15 09:30,1,25,2,5,1,0,2,0'), NASDAQ, /Export with semicolons/],
    [
      'both kinds of decimals',
      rows('date;open;high;low;close', '2026-01-15;1,5;2,5;1,5;2,5', '2026-01-16;1.5;2.5;1.5;2.5'),
      { ...NASDAQ, size: '1d' },
      /decimal comma and some a decimal point/,
    ],
    [
      'single trades',
      rows(
        'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker',
        '1,2,3,4,5,1768435200000,true',
      ),
      KRAKEN,
      /single trades.*Send bars/,
    ],
    [
      'minutes of LEAN',
      rows('34200000,1010000,1020000,1000000,1010000,5', '34260000,1010000,1020000,1000000,1010000,5'),
      NASDAQ,
      /only the path of the file names/,
    ],
    [
      'other columns',
      rows('date,open,high,low,settle', '2026-01-15,1,2,1,2'),
      NASDAQ,
      /columns date, open, high, low, settle.*The closest formats are .*lacks.*; .*lacks/,
    ],
    ...[
      'adjust,qfq',
      'adjusted,true',
      'adjustment,split',
      'adjustment,split-adjusted',
      'adjust,spin-off',
      'Is Adjusted,1',
    ].map((column): (typeof cases)[number] => [
      `a column that says that prices are adjusted: ${column}`,
      rows(`Date,Open,High,Low,Close,${column.split(',')[0]}`, `2026-01-15,1,2,1,2,${column.split(',')[1]}`),
      { ...US, size: '1d' },
      /These prices are adjusted \(.* is (qfq|true|split|split-adjusted|spin-off|1)\)/,
    ]),
    ...(
      [
        [{ ticker: 'AAPL', adjusted: true, results: [BAR] }, /are adjusted \(adjusted is true\)/],
        [{ ticker: 'MSFT', adjusted: false, results: [BAR] }, /about MSFT, not about AAPL/],
        [{ meta: { symbol: 'MSFT' }, values: [BAR] }, /about MSFT, not about AAPL/],
        [{ 'Meta Data': { '2. Symbol': 'MSFT' }, Daily: { '2026-01-15': BAR } }, /about MSFT, not about AAPL/],
        [{ MSFT: [BAR] }, /about MSFT, not about AAPL/],
        [{ AAPL: [BAR], MSFT: [BAR] }, /2 instruments: AAPL, MSFT. Name one with --only/],
        [
          { 'AAPL/USD': [[1_768_435_200_000, 1, 2, 1, 2, 3]], 'MSFT/USD': [[1_768_435_200_000, 1, 2, 1, 2, 3]] },
          /2 instruments/,
        ],
        [{ AAPL: { '2026-01-15': BAR }, MSFT: { '2026-01-15': BAR } }, /2 instruments: AAPL, MSFT/],
        [{ symbol: 'MSFT', AAPL: [BAR] }, /about MSFT, not about AAPL/],
        [{ result: { symbol: 'MSFT', list: [BAR] } }, /about MSFT, not about AAPL/],
        [{ bars: { MSFT: [BAR] } }, /about MSFT, not about AAPL/],
        [{ MSFT: { bars: [BAR] } }, /no list of bars/],
        [{ results: [] }, /no list of bars/],
      ] as const
    ).map(([sent, message]): (typeof cases)[number] => [
      `what JSON says next to its rows: ${JSON.stringify(sent).slice(0, 50)}`,
      JSON.stringify(sent),
      { ...US, size: '1d' },
      message,
    ]),
    [
      'times of a zone without summer time, in a file that is mostly of the winter',
      rows(
        OHLC,
        ...hoursOn([...DATES, '2026-01-22', '2026-01-23', '2026-01-26'], UNTIL_HALF_PAST_THREE),
        ...hoursOn(['2026-06-15', '2026-06-16', '2026-06-17'], UNTIL_HALF_PAST_THREE.map(anHourBefore)),
      ),
      NASDAQ,
      /1 hours later nearly all are in one: the times are those of another zone. Send --tz/,
    ],
    [
      'names of columns in another language, which are compared with those of known formats too',
      rows('Datum,Zuletzt,Eröffn.,Hoch,Tief,Vol.', '"15.01.2026","101,5","101,2","102","101","1,2K"'),
      NASDAQ,
      /names no columns.*Datum.*The closest formats are investing.com: the file lacks date, price, open\. Send/,
    ],
    ['names of columns that no format has', rows('x,y,z', '1,2,3'), NASDAQ, /no known form: x, y, z\. Send a header/],
    [
      'a message in place of data',
      'Exceeded the daily hits limit',
      NASDAQ,
      /begins with "Exceeded the daily hits limit"/,
    ],
    [
      'a message in JSON',
      '{"Note":"Thank you for using our service"}',
      NASDAQ,
      /no list of bars; it begins with \{"Note"/,
    ],
    ['an empty file', '', NASDAQ, /empty/],
    [
      'a zip of several',
      zipSync({ 'a.csv': strToU8('x'), 'b.csv': strToU8('y') }),
      NASDAQ,
      /zip of 2 files: a\.csv, b\.csv.*--member/,
    ],
    ['a zip with a changed price', changedZip(), NASDAQ, /The zip is damaged: the checksum of a\.csv/],
    ['a gzip that is cut off', gzipSync('x'.repeat(9_000)).subarray(0, 30), NASDAQ, /cannot be unpacked.*cut off/],
    [
      'a packing in a packing',
      [1, 2, 3, 4].reduce((inner) => gzipSync(inner), Buffer.from('x')),
      NASDAQ,
      /more than three times/,
    ],
    ['a workbook', zipSync({ '[Content_Types].xml': strToU8('x') }), NASDAQ, /Save the sheet as CSV/],
    ['Feather that is cut off', Buffer.from('ARROW1\0\0'), NASDAQ, /Feather.*cut off/],
    [
      'a second table under another header',
      rows('date,open,high,low,close', '2026-01-15,1,2,1,2', 'date,close,high,low,open', '2026-01-16,1,2,1,2'),
      { ...NASDAQ, size: '1d' },
      /line 3: a second header has other columns \(date, close.*file of its own/,
    ],
    [
      'a second table of the same dates',
      rows(
        OHLC,
        ...hoursOn(DATES, SESSION),
        'IBM',
        OHLC,
        ...hoursOn(DATES, SESSION).map((row) => `${row.slice(0, 17)}9,9,9,9`),
      ),
      NASDAQ,
      /28 rows have the time of another row and other prices \(lines 2 and 32\)/,
    ],
    [
      'a clock of 12 hours without AM and PM',
      rows(
        OHLC,
        ...Array.from(
          { length: 24 },
          (_, n) => `2026-01-15 ${`${n % 12 || 12}`.padStart(2, '0')}:00,${n + 1},${n + 1},${n + 1},${n + 1}`,
        ),
      ),
      KRAKEN,
      /12 rows have the time of another row.*a clock of 12 hours/,
    ],
    [
      'another instrument in a column of its own name',
      rows('product_id,time,open,high,low,close', 'ETH-USD,2026-01-15T00:00:00Z,1,2,1,2'),
      KRAKEN,
      /about ETH-USD, not about BTC/,
    ],
    [
      'a market that is another pair',
      rows('market,time,open,high,low,close', 'ETH/USD,2026-01-15T00:00:00Z,1,2,1,2'),
      KRAKEN,
      /about ETH\/USD, not about BTC/,
    ],
    [
      'codes of two instruments on alternating days',
      rows('RIC,date,open,high,low,close', 'AAPL.OQ,2026-01-15,1,2,1,2', 'MSFT.OQ,2026-01-16,1,2,1,2'),
      { ...NASDAQ, size: '1d' },
      /2 instruments: AAPL\.OQ, MSFT\.OQ/,
    ],
    [
      'times of London as those of New York',
      rows(OHLC, ...fives(300, 78)),
      MINUTES,
      /5 hours earlier nearly all are in one.*Send --tz/,
    ],
    ['times of Chicago as those of New York', rows(OHLC, ...fives(-60, 78)), MINUTES, /1 hours later nearly all/],
    [
      'times of New York that are marked as UTC',
      rows(OHLC, ...fives(0, 78).map((row) => row.replace(',', 'Z,'))),
      MINUTES,
      /With times as written.*5 hours later nearly all/,
    ],
    [
      'extended hours of another zone',
      rows(OHLC, ...fives(-30, 192)),
      MINUTES,
      /rows are in the night of the venue.*Send --tz/,
    ],
    ['ends of extended hours', rows(OHLC, ...fives(-325, 192)), MINUTES, /the times name the ends of bars/],
    [
      'days that are dated one later',
      rows(
        'date,open,high,low,close',
        ...['14', '15', '16', '17', '21', '22', '23', '24'].map((day) => `2026-01-${day},1,2,1,2`),
      ),
      { ...NASDAQ, size: '1d' },
      /one day earlier nearly all are on days with one/,
    ],
    [
      'last seconds read as starts',
      rows(OHLC, ...[0, 1, 2].map((n) => `2026-01-15 0${n}:59:59,1,2,1,2`)),
      KRAKEN,
      /end with 59 seconds.*--times end/,
    ],
    [
      'last seconds of days read as days',
      rows(OHLC, '2026-01-15 23:59:59.999,1,2,1,2'),
      { ...KRAKEN, size: '1d' },
      /names the end of a day\. Send --times end/,
    ],
    [
      'quotes as bars',
      rows(OHLC, ...[0, 1, 2].map((n) => `2026-01-15 0${n}:17:23,1,2,1,2`)),
      KRAKEN,
      /no whole minutes.*Send bars/,
    ],
    [
      'commas that may be decimals or thousands',
      ['date;open;high;low;close', '2026-01-15;1,015;1,020;1,010;1,018'].join('\n'),
      { ...NASDAQ, size: '1d' },
      /whether 1,015 is 1\.015 or 1015/,
    ],
    ['a pickle', Buffer.from([0x80, 0x04, 0x95]), NASDAQ, /pickle.*to_csv/],
    ...(
      [
        ['2026-01-15 09:30 EST', OHLC],
        ['2026-07-15 09:30:00 AM EDT', OHLC],
        ['01/15/2026 09:30 (CET)', OHLC],
        ['2026-01-15,09:30 EST', 'date,time,open,high,low,close'],
      ] as const
    ).map(([time, header]): readonly [string, string, ForeignForm, RegExp] => [
      `the abbreviation of a zone in ${time}`,
      rows(header, `${time},1,2,1,2`),
      NASDAQ,
      /^line 2: the time has the abbreviation (EST|EDT|CET), .*-05:00; or without the abbreviation, and --tz/,
    ]),
    ...['BTC/EUR', 'BTCUSDT', 'ETH/BTC', 'BTC/USD:USD', 'BTC-USD-SWAP', 'KRAKEN:BTCEUR', 'Bitcoin'].map(
      (pair): readonly [string, string, ForeignForm, RegExp] => [
        `${pair} for the spot price of BTC in USD`,
        rows('timestamp,symbol,open,high,low,close', `1768435200,${pair},1,2,1,2`),
        { ...COIN_IN_USD, size: '1h' },
        /is about \S+, not about BTC in USD, spot\. If they are the same, send --only /,
      ],
    ),
    [
      'a title that names another stock',
      rows('Symbol: MSFT', 'date,open,high,low,close', '2026-01-15,1,2,1,2'),
      { ...NASDAQ, size: '1d' },
      /is about MSFT, not about AAPL/,
    ],
    [
      'a title of Tongdaxin with another code',
      rows('600004 \u767d\u4e91\u673a\u573a \u65e5\u7ebf', TDX, '2026/01/15\t1\t2\t1\t2\t9\t9'),
      { ...CHINA, size: '1d' },
      /is about 600004, not about 600000/,
    ],
    [
      'a title of Tongdaxin with adjusted prices',
      rows('600000 \u6d66\u53d1\u94f6\u884c \u65e5\u7ebf \u524d\u590d\u6743', TDX, '2026/01/15\t1\t2\t1\t2\t9\t9'),
      { ...CHINA, size: '1d' },
      /adjusted \(adjust is qfq\)/,
    ],
    [
      'prices of Sharadar, adjusted for splits',
      rows('ticker,date,open,high,low,close,volume,closeadj,closeunadj', 'AAPL,2026-01-15,1,2,1,2,9,2,8'),
      { ...NASDAQ, size: '1d' },
      /adjusted \(the column closeunadj/,
    ],
    [
      'the form of HistData with a volume, as NinjaTrader writes it',
      rows('20260115 010000;1;2;1;2;7', '20260115 020000;1;2;1;2;0'),
      { ...COIN_IN_USD, size: '1h' },
      /NinjaTrader.*--times end.*Send --tz/,
    ],
    [
      'rows without times',
      rows(OHLC, ...['x', 'y', 'z', 'u'].map((text) => `${text},1,2,1,2`)),
      NASDAQ,
      /4 of 4 rows have no time .*line 2: "x"/,
    ],
  ];
  test.each(cases)('%s', async (_, text, form, message) => {
    await expect(read(text, form)).rejects.toMatchObject({
      name: 'RefusedFile',
      message: expect.stringMatching(message),
    });
  });
});

test.each(['BTC', 'BTC/USD', 'btcusd', 'XBT/USD', 'XBTUSD', 'BINANCE:BTCUSD', 'X:BTCUSD', 'KRAKEN_SPOT_BTC_USD'])(
  '%s names the spot price of BTC in USD',
  async (pair) => {
    const text = rows('timestamp,symbol,open,high,low,close', `1768435200,${pair},1,2,1,2`);
    expect((await read(text, { ...COIN_IN_USD, size: '1h' })).bars).toHaveLength(1);
  },
);

test('rows without a header may begin with a date in digits, and prices of it are no units of LEAN', async () => {
  const { format, bars } = await read(rows('', '20260115;101;103;100;102;9'), { ...NASDAQ, size: '1d' });
  expect([format, minute(bars[0]?.start), bars[0]?.open]).toEqual([
    ...['date, open, high, low, close, volume without a header', '2026-01-15T14:30', 101],
  ]);
});

describe('times', () => {
  test.each([
    ['datetime,open,high,low,close', '2026-01-30 09:30,1,1,1,1'],
    ['Timestamp,Open,High,Low,Close', '2026-01-30T09:30:00,1,1,1,1'],
    ['date,time,open,high,low,close', '20260130,09:30,1,1,1,1'],
    ['time,close,low,high,open,day', '09:30:00,1,1,1,1,2026/01/30'],
    ['datetime,open,high,low,close', '2026-01-30t14:30:00z,1,1,1,1'],
    ['datetime,open,high,low,close', '"2026-01-30T09:30:00-05:00","1","1","1","1"'],
    ['datetime,open,high,low,close', '1769783400,1,1,1,1'],
    ['datetime,open,high,low,close', '30-Jan-2026 9:30 AM,1,1,1,1'],
    ['datetime,open,high,low,close', '01/30/2026 09:30,1,1,1,1'],
  ])('%s: %s is the first hour of the session', async (header, row) => {
    expect(await spans(NASDAQ, header, row)).toEqual(['2026-01-30T14:30 2026-01-30T15:30']);
  });

  test('local times that occur twice are taken in the order of the file; one alone is the first', async () => {
    const form = { ...KRAKEN, time_zone: 'America/New_York' };
    const starts = async (...clocks: readonly string[]) =>
      (await spans(form, OHLC, ...clocks.map((clock) => `2025-11-02 ${clock},1,1,1,1`))).map((span) =>
        span.slice(11, 16),
      );
    expect(await starts('00:00', '01:00', '01:00', '02:00')).toEqual(['04:00', '05:00', '06:00', '07:00']);
    expect(await starts('02:00', '01:00', '01:00', '00:00')).toEqual(['07:00', '06:00', '05:00', '04:00']);
    expect(await starts('00:00', '01:00', '02:00')).toEqual(['04:00', '05:00', '07:00']);
  });

  test('extended hours are left out, and --tz confirms rows in the night', async () => {
    const own = await read(rows(OHLC, ...fives(-330, 192)), MINUTES);
    expect([own.bars.length, own.outside, minute(own.bars[0]?.start)]).toEqual([4 * 78, 4 * 114, '2026-01-15T14:30']);
    const night = await read(rows(OHLC, ...fives(-30, 192)), { ...MINUTES, time_zone: 'America/New_York' });
    expect(night.bars).toHaveLength(4 * 78);
  });

  test('last seconds are ends, as minutes that follow them; kinds and places of a market name no instrument', async () => {
    const form = { ...KRAKEN, times: 'end' } as const;
    const header = 'market,datetime,open,high,low,close';
    expect(
      await spans(form, header, 'spot,2026-01-15 00:59:59,1,1,1,1', 'spot,2026-01-15 01:59:59.999,1,1,1,1'),
    ).toEqual(['2026-01-15T00:00 2026-01-15T01:00', '2026-01-15T01:00 2026-01-15T02:00']);
    expect(await spans({ ...form, size: '1d' }, OHLC, '2026-01-15T23:59:59.999Z,1,1,1,1')).toEqual([
      '2026-01-15T00:00 2026-01-16T00:00',
    ]);
  });

  test('numbers prove the style of a file by zeros, by two separators, or by other digits', async () => {
    const price = async (cell: string) => {
      const text = ['date;open;high;low;close', `2026-01-15;${cell};${cell};${cell};${cell}`].join('\n');
      return (await read(text, { ...NASDAQ, size: '1d' })).bars[0]?.close;
    };
    expect(await price('0,950')).toBe(0.95);
    expect(await price('14,123,456')).toBe(14_123_456);
    expect(await price('14.123.456')).toBe(14_123_456);
    expect(await price('1.015')).toBe(1.015);
    await expect(price('108.')).rejects.toThrow('1 of 1 rows have no prices');
  });

  test('a day is its session, early closes included; of a coin the UTC day', async () => {
    const [header, row] = ['date,open,high,low,close', '2025-11-28,1,1,1,1'];
    expect(await spans({ ...NASDAQ, size: '1d' }, header, row)).toEqual(['2025-11-28T14:30 2025-11-28T18:00']);
    expect(await spans({ ...KRAKEN, size: '1d' }, header, row)).toEqual(['2025-11-28T00:00 2025-11-29T00:00']);
  });

  test('days with an offset are read as the date or the moment that fits the calendar', async () => {
    const days = async (form: Omit<ForeignForm, 'size'>, ...times: readonly string[]) =>
      (await spans({ ...form, size: '1d' }, OHLC, ...times.map((time) => `${time},1,1,1,1`))).map((span) =>
        span.slice(0, 10),
      );
    expect(await days(US, '2026-01-15T00:00:00Z', '2026-01-20T00:00:00Z')).toEqual(['2026-01-15', '2026-01-20']);
    expect(await days(CHINA, '2026-01-14T16:00:00Z', '2026-01-18T16:00:00Z')).toEqual(['2026-01-15', '2026-01-19']);
    expect(await days({ ...US, times: 'end' }, '2026-01-16T00:00:00', '2026-01-17T00:00:00')).toEqual([
      '2026-01-15',
      '2026-01-16',
    ]);
    expect(await days({ ...COIN, times: 'end' }, '2026-01-16T00:00:00Z')).toEqual(['2026-01-15']);
    expect(await days({ ...US, dates: 'moment' }, '2026-01-16T02:00:00Z')).toEqual(['2026-01-15']);
  });
});

describe('rows', () => {
  test('one that begins before its session is left out; one that ends after it is cut where nothing is outside', async () => {
    const fromOpen = await read(rows(OHLC, ...hoursOn(['2026-01-15'], SESSION)), NASDAQ);
    expect(fromOpen).toMatchObject({ outside: 0, before_open: 0, after_close: 0, cut: 1 });
    expect(minute(fromOpen.bars.at(-1)?.end)).toBe('2026-01-15T21:00');
    const clock = ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00', '15:00', '16:00'];
    const onClock = await read(rows(OHLC, ...hoursOn(['2026-01-15'], clock)), NASDAQ);
    expect(onClock).toMatchObject({ outside: 1, before_open: 1, after_close: 0, cut: 0, bars: { length: 6 } });
    const half = await read(
      rows(OHLC, ...hoursOn(['2025-11-28'], ['08:30', '09:30', '10:30', '11:30', '12:30'])),
      NASDAQ,
    );
    expect(half).toMatchObject({ outside: 1, after_close: 1, cut: 0, bars: { length: 3 } });
  });

  test('one at the edge of its session is as long as the distance to the next shows, on the clock and from the open', async () => {
    const clock = ['09:30', '10:00', '11:00', '12:00', '13:00', '14:00', '15:00'];
    const starts = await read(rows(OHLC, ...hoursOn(DATES, clock)), NASDAQ);
    const named = await read(rows(OHLC, ...hoursOn(DATES, ENDS)), { ...NASDAQ, times: 'end' });
    for (const { bars } of [starts, named]) {
      const day = bars.slice(0, 7);
      expect(bars).toHaveLength(28);
      expect(day.slice(1).map(({ start }) => start)).toEqual(day.slice(0, 6).map(({ end }) => end));
      expect([minute(day[0]?.start), minute(day[6]?.end)]).toEqual(['2026-01-15T14:30', '2026-01-15T21:00']);
    }
    expect(minute(starts.bars[0]?.end)).toBe('2026-01-15T15:00');
    expect(minute(named.bars[6]?.start)).toBe('2026-01-15T20:30');
    const once = await read(rows(OHLC, ...hoursOn(['2026-01-15'], clock), ...hoursOn(DATES.slice(1), SESSION)), NASDAQ);
    expect(minute(once.bars[0]?.end)).toBe('2026-01-15T15:30');
  });

  const SHANGHAI: ForeignForm = { ...CHINA, size: '1h' };
  const CHINESE = ['2026-01-15', '2026-01-16', '2026-01-19', '2026-01-20'];
  const [EARLY, LATE] = [hoursFrom(4, 9, ':00'), hoursFrom(16, 19, ':00')];
  test.each<readonly [string, ForeignForm, readonly string[], readonly string[], string]>([
    [
      'starts on the clock, of a venue with a break',
      SHANGHAI,
      CHINESE,
      ['09:30', '10:00', '11:00', '13:00', '14:00'],
      '09:30-10:00 10:00-11:00 11:00-11:30 13:00-14:00 14:00-15:00',
    ],
    [
      'ends on the clock, of a venue with a break',
      { ...SHANGHAI, times: 'end' },
      CHINESE,
      ['11:00', '11:30', '14:00', '15:00'],
      '10:00-11:00 11:00-11:30 13:00-14:00 14:00-15:00',
    ],
    [
      'starts from the open, with extended hours',
      NASDAQ,
      DATES,
      [...EARLY, ...SESSION, ...LATE],
      '09:30-10:30 10:30-11:30 11:30-12:30 12:30-13:30 13:30-14:30 14:30-15:30 15:30-16:00',
    ],
    [
      'ends on the clock, with extended hours before the open of their own',
      { ...NASDAQ, times: 'end' },
      DATES,
      [...hoursFrom(5, 9, ':00'), '09:30', ...hoursFrom(10, 20, ':00')],
      '09:30-10:00 10:00-11:00 11:00-12:00 12:00-13:00 13:00-14:00 14:00-15:00 15:00-16:00',
    ],
  ])('%s: rows at edges have the length of their distance', async (_, form, dates, clocks, expected) => {
    // One row may be missing: the others of its distance from the open show the same.
    const lines = hoursOn(dates, clocks);
    for (const left of [lines, lines.filter((line) => line !== `${dates[3]} ${clocks.at(-2)},1,2,1,2`)]) {
      const { bars } = await read(rows(OHLC, ...left), form);
      const clockOf = (at: number) =>
        new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: form.venue_zone }).format(at);
      for (const date of dates.slice(0, 3)) {
        const day = bars.filter(({ start }) => minute(start).startsWith(date));
        expect(day.map(({ start, end }) => `${clockOf(start)}-${clockOf(end)}`).join(' ')).toBe(expected);
      }
    }
  });

  test('of one of several lists are read by --only; what says that prices are raw is no word of adjusted ones', async () => {
    const days = { ...US, size: '1d' } as const;
    const lists = JSON.stringify({ AAPL: [BAR], MSFT: [{ ...BAR, open: 1.5 }] });
    expect((await read(lists, { ...days, only: 'MSFT' })).bars).toMatchObject([{ open: 1.5 }]);
    const raw = [
      JSON.stringify({ ticker: 'AAPL', adjusted: false, splits: [], results: [BAR] }),
      ...['adjust,', 'adjusted,false', 'adjusted,off', 'adjustment,raw', 'adjustment,1', 'adjustflag,3'].map((column) =>
        rows(`Date,Open,High,Low,Close,${column.split(',')[0]}`, `2026-01-15,1,2,1,2,${column.split(',')[1]}`),
      ),
    ];
    for (const text of raw) expect(await read(text, days)).toMatchObject({ adjusted: null, bars: { length: 1 } });
  });

  test('of one of several lists have the format that they would have alone', async () => {
    const [ccxt, kraken] = [
      [1_768_435_200_000, 1, 2, 1, 2, 5],
      [1_768_435_200, '1', '2', '1', '2', '1.5', '5', 9],
    ];
    const lists = (row: unknown) => JSON.stringify({ 'XBT/USD': [row], 'ETH/USD': [row] });
    const only = { ...KRAKEN, only: 'XBT/USD' };
    const alone = await read(JSON.stringify([ccxt]), KRAKEN);
    expect(alone).toMatchObject({ notes: [expect.stringContaining('no names')], bars: [{ volume: 5 }] });
    expect(await read(lists(ccxt), only)).toEqual(alone);
    // Kraken writes the average price before the volume; other rows of so many cells are unknown.
    expect((await read(lists(kraken), only)).bars).toMatchObject([{ close: 2, volume: 5 }]);
    expect(await read(JSON.stringify([kraken]), KRAKEN)).toMatchObject({ format: 'Kraken OHLC (REST)' });
    await expect(read(lists([...kraken, 1]), only)).rejects.toThrow('names no columns and has no known form');
    const inRows = JSON.stringify({ 'XBT/USD': [{ symbol: 'XBTUSD', ...BAR }], 'ETH/USD': [BAR] });
    expect((await read(inRows, { ...only, size: '1d' })).bars).toHaveLength(1);
  });

  test.each<Readonly<Record<string, unknown>>>([
    { symbol: 'AAPL', DATA: [BAR] },
    { symbol: 'AAPL', DATA: [BAR], SPLITS: [{ date: '2020-08-31', ratio: 4 }] },
    { DATA: [BAR] },
    { TIME_SERIES: [BAR] },
    { symbol: '', results: [BAR] },
    { symbol: '', AAPL: [BAR] },
    { ticker: '', symbol: 'AAPL', bars: [BAR] },
    { meta: [{ note: 'x' }], AAPL: [BAR] },
    { msft: [{ ...BAR, close: 1 }], aapl: [BAR] },
    { AAPL: { '2026-01-15': BAR } },
  ])('are those of the instrument that %j states, and a key names none where the file does', async (sent) => {
    expect((await read(JSON.stringify(sent), { ...US, size: '1d' })).bars).toMatchObject([{ close: 2 }]);
  });

  test('a file says what its prices are adjusted for, by its words or by its form', async () => {
    const sent = (form: object) => JSON.stringify({ ticker: 'AAPL', adjusted: true, results: [form] });
    const massive = { v: 135647456, vw: 74.6099, o: 74.06, c: 75.0875, h: 75.15, l: 73.7975, t: 1577941200000, n: 1 };
    const days = { ...US, size: '1d', already_adjusted: true } as const;
    expect(await read(sent(massive), days)).toMatchObject({ adjusted_for: 'splits', bars: [{ close: 75.0875 }] });
    expect(await read(sent(BAR), days)).toMatchObject({ adjusted_for: 'all' });
    // Next to long names `t` may be anything, such as a turnover.
    const indexed = rows(',open,high,low,close,t', '2026-01-15,1,2,1,2,7');
    expect((await read(indexed, { ...US, size: '1d' })).bars).toHaveLength(1);
  });

  test('a column `adjusted` has adjusted closes, or a flag where every cell may be one', async () => {
    const days = { ...US, size: '1d' } as const;
    // As tidyquant writes it; a close may be exactly 1 or 2.
    const header = 'symbol,date,open,high,low,close,volume,adjusted';
    const closes = (...cells: readonly string[]) =>
      rows(header, ...cells.map((cell, i) => `AAPL,${DATES[i]},1,2,1,2,100,${cell}`));
    for (const [cells, adjusted] of [
      [
        ['1.5', '2'],
        [1.5, 2],
      ],
      [
        ['1', '2', '', '0.97'],
        [1, 2, null, 0.97],
      ],
    ] as const) {
      const found = await read(closes(...cells), days);
      expect([found.adjusted, found.bars.map(({ adj_close }) => adj_close)]).toEqual([null, adjusted]);
      expect(found.ignored_columns).toEqual([]);
    }
    const both = rows('date,open,high,low,close,adj_close,adjusted', '2026-01-15,1,2,1,2,1.9,1.8');
    expect(await read(both, days)).toMatchObject({ ignored_columns: ['adjusted'], bars: [{ adj_close: 1.9 }] });
    for (const flags of [
      ['0', '1'],
      ['', '2'],
      ['1.0', '0.0'],
    ])
      await expect(read(closes(...flags), days)).rejects.toThrow(/adjusted \(adjusted is [12]/);
    expect(await read(closes('0', '0.0', ''), days)).toMatchObject({
      adjusted: null,
      bars: [{ adj_close: null }, {}, {}],
    });
    const steps = rows('date,open,high,low,close,is_adjusted', '2026-01-15,1,2,1,2,1', '2026-01-16,1,2,1,2,7');
    expect(await read(steps, days)).toMatchObject({ adjusted: null });
  });

  test.each([
    'currency_symbol,$',
    'Quote Symbol,USD',
    'exchangeSymbol,XNAS',
    'benchmark_symbol,SPY',
    'price_currency_symbol,US$',
  ])('a column of the symbol of another thing names no instrument: %s', async (column) => {
    const [name, value] = column.split(',');
    const text = rows(`date,open,high,low,close,${name}`, `2026-01-15,1,2,1,2,${value}`);
    expect(await read(text, { ...US, size: '1d' })).toMatchObject({
      ignored_columns: { length: 1 },
      bars: { length: 1 },
    });
  });

  test('one that cannot be a price is left out and counted, whatever its cell contains', async () => {
    const cells = ['', 'null', 'NaN', 'N/A', 'abc'].map((cell, index) => `2026-01-15 1${index}:30,1,${cell},1,1`);
    const good = hoursOn(['2026-01-16', '2026-01-20'], SESSION);
    expect(await read(rows(OHLC, ...good, ...cells), NASDAQ)).toMatchObject({
      rows: 19,
      without_price: 5,
      bars: { length: 14 },
    });
  });

  test('notes at the end are left out and counted', async () => {
    const text = rows(OHLC, ...hoursOn(DATES, SESSION), 'Downloaded as of today,,,,');
    expect(await read(text, NASDAQ)).toMatchObject({ unreadable: 1, bars: { length: 28 } });
  });

  test('an adjusted close, a volume and columns that are not read', async () => {
    const text =
      '\uFEFFDate,Open,High,Low,Close,Adj Close,Vol,VWAP\r\n2026-01-30,1,2,1,2,1.5,,1\r\n2026-01-29,1,2,1,2,1.4,7,1';
    const { bars, ignored_columns, adjusted } = await read(text, { ...NASDAQ, size: '1d' });
    expect(bars).toMatchObject([
      { adj_close: 1.5, volume: null },
      { adj_close: 1.4, volume: 7 },
    ]);
    expect([ignored_columns, adjusted]).toEqual([['vwap'], null]);
  });

  test('hours without a trade keep their volume of 0, in the column that is named after the coin', async () => {
    const text = rows(
      'unix,date,symbol,open,high,low,close,Volume BTC,Volume USD',
      '1768435200,x,BTC/USD,1,1,1,1,0,0',
      '1768438800,x,BTC/USD,1,2,1,2,5,9',
    );
    expect((await read(text, KRAKEN)).bars).toMatchObject([{ volume: 0 }, { volume: 5 }]);
  });
});

test('actions may name the day instead of its open', async () => {
  const open = Date.UTC(2003, 1, 18, 14, 30);
  const text = 'at,kind,value\n2003-02-18,split,2\n2003-02-18T14:30:00Z,dividend,0.08';
  const actions = [
    { at: open, kind: 'split', value: 2 },
    { at: open, kind: 'dividend', value: 0.08 },
  ];
  expect(await parseForeignActions(text, NASDAQ.calendar)).toEqual({ actions, none: [] });
  const none = Date.UTC(2003, 1, 19, 14, 30);
  expect(await parseForeignActions('2003-02-19,none\r\n', NASDAQ.calendar)).toEqual({ actions: [], none: [none] });
  await expect(parseForeignActions('at,kind,value\n2003-02-16,split,2', NASDAQ.calendar)).rejects.toThrow('line 2');
});

test.each([
  ['HKEX', '0700.HK', ['700', '00700', '0700.HK', 'HK.00700', 'HKG:0700']],
  ['TSE', '7203.T', ['7203', '7203.T']],
  ['NSE', 'M&M.NS', ['M&M', 'M&M.NS']],
  ['TSX', 'RCI.B.TO', ['RCI.B', 'RCI-B.TO']],
  ['ASX', 'BHP.AX', ['BHP', 'ASX:BHP']],
])('a file of %s may name %s as the exchange does', async (venue, symbol, names) => {
  const calendar = calendarOf({ market: 'stock', venue });
  const form: ForeignForm = { symbol, calendar, venue_zone: 'UTC', size: '1d' };
  for (const name of names) {
    const text = `date,symbol,open,high,low,close\n2026-01-16,${name},1,2,1,2\n`;
    expect([name, (await readForeignBars(Buffer.from(text), form)).bars.length]).toEqual([name, 1]);
  }
  const other = 'date,symbol,open,high,low,close\n2026-01-16,XYZ,1,2,1,2\n';
  await expect(readForeignBars(Buffer.from(other), form)).rejects.toThrow(/is about XYZ/);
});

test('actions timed within a session take effect at its open, which is a UTC day earlier in Sydney', async () => {
  const asx = calendarOf({ market: 'stock', venue: 'ASX' });
  const at = Date.UTC(2026, 0, 6, 23);
  for (const time of ['2026-01-07', '2026-01-07T00:00:00Z', '2026-01-06T23:00:00Z']) {
    const { actions } = await parseForeignActions(`at,kind,value\n${time},split,2`, asx);
    expect([time, actions]).toEqual([time, [{ at, kind: 'split', value: 2 }]]);
  }
});

/** A file as it is in a zip, in which one digit was changed. */
function changedZip(): Uint8Array {
  const zip = Buffer.from(
    zipSync({ 'a.csv': [strToU8('Date,Open,High,Low,Close\n2024-06-10,1,2,1,189.5\n'), { level: 0 }] }),
  );
  zip[zip.indexOf('189.5')] = 0x39;
  return zip;
}
