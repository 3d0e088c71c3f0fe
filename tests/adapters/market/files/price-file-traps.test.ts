import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { readForeignBars } from '../../../../adapters/market/files/foreign/read-bars.ts';
import type { ForeignForm } from '../../../../adapters/market/files/foreign/read-rows.ts';
import { calendarOf, timeZoneOf } from '../../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { HOUR, MINUTE } from '../../../../domain/time.ts';
import { localDate } from '../../../../domain/zoned-time.ts';
import { chanceFrom } from '../../../domain/grading/look-ahead/chance.ts';

// What a file shows by itself: by the order of its columns, by what was paid, by its currency, its names and its clock.

function formOf(
  market: Instrument['market'],
  symbol: string,
  venue: string,
  quote_currency: string,
  more: object = {},
) {
  const instrument = { market, symbol, venue, asset_class: 'spot', quote_currency } as const;
  const [calendar, venue_zone] = [calendarOf(instrument), timeZoneOf(instrument)];
  return { ...instrument, calendar, venue_zone, size: market === 'stock' ? '1d' : '1h', ...more } as ForeignForm;
}

const US = formOf('stock', 'AAPL', 'NASDAQ', 'USD');
const CHINA = formOf('stock', '600000', 'SSE', 'CNY');
const HONG_KONG = formOf('stock', '0700.HK', 'HKEX', 'HKD');
const TOKYO = formOf('stock', '7203.T', 'TSE', 'JPY');
const SEOUL = formOf('stock', '005930.KS', 'KRX', 'KRW');
const MUMBAI = formOf('stock', 'RELIANCE.NS', 'NSE', 'INR');
const PARIS = formOf('stock', 'AIR.PA', 'EURONEXT', 'EUR');
const SYDNEY = formOf('stock', 'BHP.AX', 'ASX', 'AUD');
const COIN = formOf('crypto', 'BTC', 'BINANCE', 'USDT');
const COIN_USD = formOf('crypto', 'BTC', 'KRAKEN', 'USD');

interface Plain {
  readonly start: number;
  readonly date: string;
  readonly o: number;
  readonly h: number;
  readonly l: number;
  readonly c: number;
  readonly v: number;
}

/** The same walk for each form: days of its sessions in January 2026, or hours of a coin. */
function barsOf({ calendar, size, venue_zone }: ForeignForm, from = 101, scale = 1): readonly Plain[] {
  const { normal } = chanceFrom(7);
  const cents = (price: number) => (scale === 1 ? Math.round(price * 100) / 100 : Math.round(price) * scale);
  let last = from;
  const starts =
    size === '1d'
      ? calendar.sessions(Date.UTC(2026, 0, 5), Date.UTC(2026, 1, 7)).map(({ open }) => open)
      : Array.from({ length: 60 }, (_, n) => Date.UTC(2026, 0, 5) + n * HOUR);
  return starts.map((start, n) => {
    const [o, c] = [cents(last * (1 + 0.002 * normal())), cents(last * (1 + 0.012 * normal()))];
    last = scale === 1 ? c : c / scale;
    const [h, l] = [Math.max(o, c) + scale, Math.min(o, c) - scale];
    return {
      start,
      date: localDate(start, venue_zone),
      o,
      h,
      l,
      c,
      v: 1_000_000 + 100 * n,
    };
  });
}

const ohlc = ({ o, h, l, c }: Plain) => [o, h, l, c];
const csv = (
  header: string,
  rows: readonly Plain[],
  line: (bar: Plain, index: number) => readonly unknown[],
  cell = ',',
) => [...(header === '' ? [] : [header]), ...rows.map((bar, index) => line(bar, index).join(cell))].join('\n');
const read = (text: string | Uint8Array, form: ForeignForm) =>
  readForeignBars(typeof text === 'string' ? Buffer.from(text) : text, form);
const gateDay = ({ date }: Plain) => date.split('-');

const [DAYS, HOURS, CHINESE, KOREAN] = [barsOf(US), barsOf(COIN, 93_000), barsOf(CHINA, 11), barsOf(SEOUL, 715, 100)];
const [HK, JP, INDIA, FRANCE, OZ] = [
  barsOf(HONG_KONG, 400),
  barsOf(TOKYO),
  barsOf(MUMBAI, 1_400),
  barsOf(PARIS),
  barsOf(SYDNEY),
];
const paid = ({ o, h, l, c, v }: Plain) => Math.round((v * (o + h + l + c)) / 4);
const CHINA_HEADER = '日期,开盘,收盘,最高,最低,成交量,成交额';
const chinese = (bar: Plain, lot: number, factor = 1) => [
  bar.date,
  bar.o,
  bar.c,
  bar.h,
  bar.l,
  bar.v / lot,
  paid(bar) * factor,
];

type Case = readonly [string, string | Uint8Array, ForeignForm, readonly Plain[]];

describe('the same bars as in a plain table', () => {
  const cases: readonly Case[] = [
    ['Tongdaxin, whose volume is in shares', csv(CHINA_HEADER, CHINESE, (bar) => chinese(bar, 1)), CHINA, CHINESE],
    [
      'akshare, whose volume is in lots',
      csv(`${CHINA_HEADER},振幅`, CHINESE, (bar) => [...chinese(bar, 100), 1]),
      CHINA,
      CHINESE,
    ],
    [
      'akshare of Hong Kong, in shares',
      csv(`${CHINA_HEADER},振幅`, HK, (bar) => [...chinese(bar, 1), 1]),
      HONG_KONG,
      HK,
    ],
    [
      'tushare of Hong Kong without amounts',
      csv('ts_code,trade_date,open,high,low,close,vol', HK, (bar) => [
        '00700.HK',
        bar.date.replaceAll('-', ''),
        ...ohlc(bar),
        bar.v,
      ]),
      HONG_KONG,
      HK,
    ],
    [
      'whole prices with points between thousands, which the volume proves',
      csv(
        'Date;Open;High;Low;Close;Volume',
        KOREAN,
        (bar) => [bar.date, ...[...ohlc(bar), bar.v].map((value) => value.toLocaleString('de-DE'))],
        ';',
      ),
      SEOUL,
      KOREAN,
    ],
    [
      'KRX in EUC-KR',
      Buffer.concat([
        Buffer.from([0xc0, 0xcf, 0xc0, 0xda, 0x2c, 0xc1, 0xbe, 0xb0, 0xa1, 0x2c, 0xbd, 0xc3, 0xb0, 0xa1, 0x2c]),
        Buffer.from([
          0xb0, 0xed, 0xb0, 0xa1, 0x2c, 0xc0, 0xfa, 0xb0, 0xa1, 0x2c, 0xb0, 0xc5, 0xb7, 0xa1, 0xb7, 0xae, 0x0a,
        ]),
        Buffer.from(csv('', KOREAN, (bar) => [bar.date.replaceAll('-', '/'), bar.c, bar.o, bar.h, bar.l, bar.v])),
      ]),
      SEOUL,
      KOREAN,
    ],
    [
      'J-Quants, whose codes have a digit more',
      JSON.stringify({
        data: JP.map((bar) => ({ Date: bar.date, Code: '72030', O: bar.o, H: bar.h, L: bar.l, C: bar.c, Vo: bar.v })),
      }),
      TOKYO,
      JP,
    ],
    [
      'NSE, by the names of its bhavcopy',
      csv('TradDt,ISIN,TckrSymb,OpnPric,HghPric,LwPric,ClsPric,LastPric,TtlTradgVol', INDIA, (bar) => [
        bar.date,
        'INE',
        'RELIANCE',
        ...ohlc(bar),
        1,
        bar.v,
      ]),
      MUMBAI,
      INDIA,
    ],
    [
      'rupees',
      csv(
        'date;open;high;low;close;volume',
        INDIA,
        (bar) => [bar.date, ...ohlc(bar).map((price) => `₹${price.toLocaleString('en-IN')}`), bar.v],
        ';',
      ),
      MUMBAI,
      INDIA,
    ],
    [
      'Euronext, three lines of title',
      `"Historical Data"\n"From 2026-01-05"\nNL0000235190\n${csv('Date;Open;High;Low;Last;Close;"Number of Shares";vwap', FRANCE, (bar) => [gateDay(bar).reverse().join('/'), ...ohlc(bar), bar.c, bar.v, 1], ';')}`,
      PARIS,
      FRANCE,
    ],
    [
      'codes and dates without a header',
      csv('', OZ, (bar) => ['BHP', bar.date.replaceAll('-', ''), ...ohlc(bar), bar.v]),
      SYDNEY,
      OZ,
    ],
    [
      'Bloomberg',
      csv('Date,PX_OPEN,PX_HIGH,PX_LOW,PX_LAST,PX_VOLUME', DAYS, (bar) => [bar.date, ...ohlc(bar), bar.v]),
      US,
      DAYS,
    ],
    [
      'the form of LEAN with decimals',
      csv('', DAYS, (bar) => [`${bar.date.replaceAll('-', '')} 00:00`, ...ohlc(bar), bar.v]),
      US,
      DAYS,
    ],
    [
      'Databento, prices in billionths',
      csv('ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol', HOURS, (bar) => [
        ...[`${bar.start}000000`, 34, 2, 38],
        ...ohlc(bar).map((price) => Math.round(price * 100) * 10_000_000),
        ...[bar.v, 'BTC'],
      ]),
      COIN,
      HOURS,
    ],
    [
      'BitMEX, whose times name ends',
      csv('timestamp,open,high,low,close,volume,homeNotional,foreignNotional', HOURS, (bar) => [
        new Date(bar.start + HOUR).toISOString(),
        ...ohlc(bar),
        bar.v,
        1,
        1,
      ]),
      COIN_USD,
      HOURS,
    ],
    [
      'Gate.io, arrays',
      JSON.stringify(
        HOURS.map((bar) => [
          `${bar.start / 1_000}`,
          '9.5',
          `${bar.c}`,
          `${bar.h}`,
          `${bar.l}`,
          `${bar.o}`,
          `${bar.v}`,
          'true',
        ]),
      ),
      COIN,
      HOURS,
    ],
    [
      'OKX, arrays, the last one not ended',
      JSON.stringify({
        data: [...HOURS, { ...DAYS[0], start: Date.UTC(2026, 0, 9), o: 1, h: 1, l: 1, c: 1, v: 1 }].map((bar, n) => [
          `${bar.start}`,
          `${bar.o}`,
          `${bar.h}`,
          `${bar.l}`,
          `${bar.c}`,
          `${bar.v}`,
          '1',
          '1',
          n < HOURS.length ? '1' : '0',
        ]),
      }),
      COIN,
      HOURS,
    ],
    [
      'an offset of hours alone',
      csv('time,open,high,low,close,volume', HOURS, (bar) => [
        `${new Date(bar.start).toISOString().slice(0, 19).replace('T', ' ')}+00`,
        ...ohlc(bar),
        bar.v,
      ]),
      COIN,
      HOURS,
    ],
    [
      'a dash before a clock of UTC',
      csv('date,open,high,low,close,volume', HOURS, (bar) => [
        new Date(bar.start).toISOString().slice(0, 19).replaceAll('-', '').replace('T', '-'),
        ...ohlc(bar),
        bar.v,
      ]),
      COIN,
      HOURS,
    ],
    [
      'MetaStock',
      csv('<TICKER>,<PER>,<DTYYYYMMDD>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>', DAYS, (bar) => [
        'AAPL',
        'D',
        bar.date.replaceAll('-', ''),
        0,
        ...ohlc(bar),
        bar.v,
      ]),
      US,
      DAYS,
    ],
    [
      'JSON of columns',
      JSON.stringify({
        t: HOURS.map(({ start }) => start),
        ...Object.fromEntries((['o', 'h', 'l', 'c', 'v'] as const).map((key) => [key, HOURS.map((bar) => bar[key])])),
      }),
      COIN,
      HOURS,
    ],
    [
      'JSON of pandas, by column',
      JSON.stringify(
        Object.fromEntries(
          (['open', 'high', 'low', 'close', 'volume'] as const).map((name) => [
            name,
            Object.fromEntries(HOURS.map((bar) => [bar.start, bar[name.slice(0, 1) as 'o']])),
          ]),
        ),
      ),
      COIN,
      HOURS,
    ],
    [
      'JSON of pandas, split',
      JSON.stringify({
        columns: ['open', 'high', 'low', 'close', 'volume'],
        index: HOURS.map(({ start }) => start),
        data: HOURS.map((bar) => [...ohlc(bar), bar.v]),
      }),
      COIN,
      HOURS,
    ],
    [
      'JSON of pandas, by time',
      JSON.stringify(
        Object.fromEntries(
          HOURS.map((bar) => [bar.start, { open: bar.o, high: bar.h, low: bar.l, close: bar.c, volume: bar.v }]),
        ),
      ),
      COIN,
      HOURS,
    ],
    [
      'JSON of an object a line',
      HOURS.map((bar) =>
        JSON.stringify({ time: bar.start, open: bar.o, high: bar.h, low: bar.l, close: bar.c, volume: bar.v }),
      ).join('\n'),
      COIN,
      HOURS,
    ],
    [
      'UTF-16 without a mark',
      Buffer.from(
        csv('date,open,high,low,close,volume', DAYS, (bar) => [bar.date, ...ohlc(bar), bar.v]),
        'utf16le',
      ),
      US,
      DAYS,
    ],
    [
      'zstd',
      zstdCompressSync(csv('date,open,high,low,close,volume', DAYS, (bar) => [bar.date, ...ohlc(bar), bar.v])),
      US,
      DAYS,
    ],
    [
      'a zip of macOS',
      zipSync({
        'a.csv': strToU8(csv('date,open,high,low,close,volume', DAYS, (bar) => [bar.date, ...ohlc(bar), bar.v])),
        '__MACOSX/._a.csv': strToU8('x'),
      }),
      US,
      DAYS,
    ],
    [
      'a zip whose names are in no stated encoding',
      withoutEncoding(
        zipSync({
          'L\u00e4nder.md': strToU8('x'),
          'K\u00fcrse.csv': strToU8(
            csv('date,open,high,low,close,volume', DAYS, (bar) => [bar.date, ...ohlc(bar), bar.v]),
          ),
        }),
      ),
      US,
      DAYS,
    ],
  ];
  test.each(cases)('%s', async (_, text, form, expected) => {
    const { bars } = await read(text, form);
    const found = bars.toSorted((a, b) => a.start - b.start);
    expect(found.map(({ start, open, high, low, close, volume }) => [start, open, high, low, close, volume])).toEqual(
      expected.map((bar) => [bar.start, ...ohlc(bar), bar.v]),
    );
  });
});

const HEADER = 'date,open,high,low,close,volume';
const plain = (bar: Plain) => [bar.date, ...ohlc(bar), bar.v];
const named = (symbol: string, rows: readonly Plain[] = DAYS) =>
  csv(`symbol,${HEADER}`, rows, (bar) => [symbol, ...plain(bar)]);
const arrays = (cells: (bar: Plain, index: number) => readonly unknown[]) => JSON.stringify(HOURS.map(cells));
const flat = (bar: Plain, isFlat: boolean) => (isFlat ? { ...bar, h: bar.o, l: bar.o, c: bar.o } : bar);

describe('what the prices, the amounts or the words of a file contradict is refused', () => {
  const cases: readonly (readonly [string, string | Uint8Array, ForeignForm, RegExp])[] = [
    [
      'open, close, high, low',
      arrays((bar) => [bar.start, bar.o, bar.c, bar.h, bar.l, bar.v]),
      COIN,
      /open, close, high, low fits, as Bitfinex/,
    ],
    [
      'that order, in hours of which most are of one price',
      arrays((bar, n) => {
        const { o, h, l, c } = flat(bar, n % 10 < 7);
        return [bar.start, o, c, h, l, bar.v];
      }),
      COIN,
      /open, close, high, low fits/,
    ],
    [
      'low, high, open, close',
      arrays((bar) => [bar.start / 1_000, bar.l, bar.h, bar.o, bar.c, bar.v]),
      COIN,
      /fits, as Coinbase/,
    ],
    [
      'volume, close, high, low, open',
      arrays((bar) => [bar.start / 1_000, bar.v, bar.c, bar.h, bar.l, bar.o]),
      COIN,
      /fits, as Gate\.io/,
    ],
    [
      'close, high, low, open',
      csv('', DAYS, (bar) => [bar.date, bar.c, bar.h, bar.l, bar.o, bar.v]),
      US,
      /close near the open of the bar before/,
    ],
    [
      'times that may be ends',
      csv('', HOURS, (bar) => [bar.start / 1_000, ...ohlc(bar), bar.v, 9.5]),
      COIN_USD,
      /Cryptowatch.*Send --times start or end/,
    ],
    [
      'a turnover that the prices do not give',
      csv(`${CHINA_HEADER},振幅`, CHINESE, (bar) => [...chinese(bar, 100, 1 / 9), 1]),
      CHINA,
      /adjusted \(成交额 by volume is not between low and high, as in line 2\)/,
    ],
    [
      'one that older prices do not give',
      csv(`${CHINA_HEADER},振幅`, CHINESE, (bar, n) => [...chinese(bar, 100, n < 8 ? 1.2 : 1), 1]),
      CHINA,
      /These prices are adjusted/,
    ],
    [
      'a close as it was traded, next to another',
      csv('date,open,high,low,close,uClose', DAYS, (bar) => [bar.date, ...ohlc(bar), 4]),
      US,
      /adjusted \(the column uclose: the others are adjusted/,
    ],
    [
      'another currency in a column',
      csv(`${HEADER},Currency`, FRANCE, (bar) => [...plain(bar), 'USD']),
      PARIS,
      /are in USD by the file, and the instrument is in EUR/,
    ],
    [
      'pence for pounds',
      csv(`${HEADER},currency`, FRANCE, (bar) => [...plain(bar), 'GBp']),
      { ...PARIS, quote_currency: 'GBP' },
      /are in GBp by the file/,
    ],
    [
      'another currency next to rows of JSON',
      JSON.stringify({
        meta: { symbol: 'AAPL', currency: 'EUR' },
        values: DAYS.map((bar) => ({ datetime: bar.date, open: bar.o, high: bar.h, low: bar.l, close: bar.c })),
      }),
      US,
      /are in EUR by the file/,
    ],
    [
      'a sign of another currency',
      csv(HEADER.replaceAll(',', ';'), DAYS, (bar) => [bar.date, ...ohlc(bar).map((price) => `€${price}`), 1], ';'),
      US,
      /are in € by the file/,
    ],
    [
      'a title that calls prices adjusted',
      `AAPL, split-adjusted\n${csv(HEADER, DAYS, plain)}`,
      US,
      /adjusted \(adjust is split\)/,
    ],
    ['a close twice', csv(`${HEADER},close`, DAYS, (bar) => [...plain(bar), bar.c / 2]), US, /two columns close/],
    [
      'columns of two tickers under one line of their names',
      [
        ',MSFT,MSFT,MSFT,MSFT,AAPL,AAPL,AAPL,AAPL',
        csv(',Open,High,Low,Close,Open,High,Low,Close', DAYS, (bar) => [bar.date, ...ohlc(bar), ...ohlc(bar)]),
      ].join('\n'),
      US,
      /2 instruments: MSFT, AAPL/,
    ],
    [
      'two securities by their numbers',
      csv(`ISIN,${HEADER}`, DAYS, (bar, n) => [n % 2 ? 'US0378331005' : 'US5949181045', ...plain(bar)]),
      US,
      /2 instruments/,
    ],
    [
      'two codes of Refinitiv',
      csv(`#RIC,${HEADER}`, DAYS, (bar, n) => [n % 2 ? 'AAPL.OQ' : 'MSFT.OQ', ...plain(bar)]),
      US,
      /2 instruments/,
    ],
    [
      'a title with another code',
      `Microsoft Corp (MSFT.O) | Historical Price\n${csv(HEADER, DAYS, plain)}`,
      US,
      /about MSFT\.O, not about AAPL/,
    ],
    ...(
      [
        ['AAPL.O', 'O'],
        ['7203.T', 'T'],
        ['SAP.DE', 'DE'],
        ['JPM-PC', 'JPM'],
        ['LEN.B', 'LEN'],
        ['BRK-A', 'A'],
      ] as const
    ).map(([symbol, other]): readonly [string, string, ForeignForm, RegExp] => [
      `${symbol} for ${other}`,
      named(symbol),
      { ...US, symbol: other },
      /is about .*, not about/,
    ]),
    ...['BTC-28MAR25', 'BTCUSDT_250328', 'BTCUSDT.P'].map((name): readonly [string, string, ForeignForm, RegExp] => [
      `the contract ${name} for the coin`,
      named(name, barsOf({ ...COIN, size: '1d' })),
      { ...COIN, size: '1d' },
      /is about .*, not about BTC in USDT/,
    ]),
    [
      'five minutes before minutes',
      csv(
        'date,open,high,low,close',
        [...Array.from({ length: 40 }, (_, n) => 5 * n), ...Array.from({ length: 300 }, (_, n) => 200 + n)].map(
          (minute) => ({ ...HOURS[0], start: Date.UTC(2026, 0, 5) + minute * MINUTE }) as Plain,
        ),
        (bar) => [bar.start, ...ohlc(bar)],
      ),
      { ...COIN, size: '1m' },
      /those of a part, are mostly 5 minutes apart/,
    ],
    [
      'points that may be decimals or thousands, of whole prices',
      csv(
        'Date;Open;High;Low;Close',
        KOREAN,
        (bar) => [bar.date, ...ohlc(bar).map((price) => price.toLocaleString('de-DE'))],
        ';',
      ),
      SEOUL,
      /one separator before three digits, such as \d+\.\d+,/,
    ],
    [
      'cells that are no prices, which are shown',
      csv(HEADER, DAYS, (bar) => [bar.date, 'x', 'y', 'z', 'u', 1]),
      US,
      /rows have no prices \(line 2: open "x", high "y"/,
    ],
    ['a page of HTML', '<!DOCTYPE html><html><body>Please, log, in</body></html>', US, /page of HTML/],
    ['bzip2', Buffer.from('BZh91AY'), US, /packed with bzip2\. Unpack it/],
    ['DBN', Buffer.from('DBN\u0001'), US, /encoding csv/],
  ];
  test.each(cases)('%s', async (_, text, form, message) => {
    await expect(read(text, form)).rejects.toThrow(message);
  });
});

test.each(['AAPL US Equity', 'NASDAQ:AAPL', 'US.AAPL', 'AAPL-US', 'AAPL.OQ', 'XNAS.AAPL'])(
  '%s is AAPL',
  async (symbol) => {
    expect((await read(named(symbol), US)).bars).toHaveLength(DAYS.length);
  },
);

test('a day without a volume that repeats the last price has no trade, and one with another price has an unknown volume', async () => {
  const silent = (bar: Plain, n: number) => {
    const price = n === 12 ? DAYS[12]?.o : DAYS[4]?.c;
    return [5, 6, 12].includes(n) ? [bar.date, price, price, price, price, ''] : plain(bar);
  };
  const found = await read(csv(HEADER, DAYS, silent), US);
  expect(found.without_trade).toBe(2);
  expect([4, 5, 6, 7, 12].map((n) => found.bars[n]?.volume)).toEqual([DAYS[4]?.v, 0, 0, DAYS[7]?.v, null]);
  // Without any volume nothing shows that the others traded.
  const bare = await read(
    csv('date,open,high,low,close', DAYS, (bar, n) => silent(bar, n).slice(0, 5)),
    US,
  );
  expect([bare.without_trade, bare.bars[5]?.volume]).toEqual([0, null]);
});

test('years of two digits are those from 1970 to 2069', async () => {
  const text = 'date;open;high;low;close\n05.01.98;1;2;1;2\n06.01.98;2;3;1;2\n07.01.98;2;3;1;2\n08.01.98;2;3;1;2';
  expect(new Date((await read(text, US)).bars[0]?.start ?? 0).getUTCFullYear()).toBe(1998);
});

test('what was paid for a share shows that prices are raw, so that no note asks', async () => {
  const text = (lot: number) => csv(`${CHINA_HEADER},振幅`, CHINESE, (bar) => [...chinese(bar, lot), 1]);
  expect(await read(text(100), CHINA)).toMatchObject({ notes: [], adjusted: null });
  const unpaid = csv('日期,开盘,收盘,最高,最低,成交量,振幅', CHINESE, (bar) => [
    bar.date,
    bar.o,
    bar.c,
    bar.h,
    bar.l,
    bar.v,
    1,
  ]);
  expect(await read(unpaid, CHINA)).toMatchObject({
    notes: [expect.stringContaining('make sure that adjust was empty')],
  });
});

test.each([
  ['92\u202f575,75', 92_575.75],
  ['92 575,755', 92_575.755],
  ['1234,567', 1_234.567],
  ["92'575.75", 92_575.75],
  ['1 234.567', 1_234.567],
  ['HK$ 401.20', 401.2],
  ['1,50 \u20ac', 1.5],
])('the price %s is %d, whatever parts its thousands', async (cell, price) => {
  const text = csv('date;open;high;low;close', DAYS, (bar) => [bar.date, cell, cell, cell, cell], ';');
  expect((await read(text, { ...US, quote_currency: cell.includes('\u20ac') ? 'EUR' : 'USD' })).bars[0]?.close).toBe(
    price,
  );
});

test.each([
  ['Date,Open ($),High ($),Low ($),Close ($),Volume', DAYS[0]?.v],
  ['startTime,openPrice,highPrice,lowPrice,closePrice,totalVolume', DAYS[0]?.v],
  ['Exchange Date,Opening Price,High Price,Low Price,Closing Price,Total Traded Quantity', DAYS[0]?.v],
])('the names %s are those of bars', async (header, volume) => {
  expect((await read(csv(header, DAYS, plain), US)).bars[0]).toMatchObject({ close: DAYS[0]?.c, volume });
});

test.each(['Prices are not adjusted', 'unadjusted', 'Adjusted: no', 'Apple Inc (USD)'])(
  'the title %s says nothing against raw prices of AAPL',
  async (title) => {
    expect(await read(`${title}\n${csv(HEADER, DAYS, plain)}`, US)).toMatchObject({ adjusted: null });
  },
);

const INDEX = formOf('stock', '000001.SS', 'SSE', 'CNY');
const SHENZHEN_INDEX = formOf('stock', '399001', 'SZSE', 'CNY');
const compact = ({ date }: Plain) => date.replaceAll('-', '');
/** Turnover of an index: of another size than its level by its volume. */
const spent = (bar: Plain) => Math.round(bar.v * 13.7);

describe('the level of an index is no price of a share, so that turnover says nothing of it', () => {
  const levels = barsOf(INDEX, 3_300);
  test.each<readonly [string, string]>([
    [
      'akshare',
      csv(`${CHINA_HEADER},振幅`, levels, (bar) => [bar.date, bar.o, bar.c, bar.h, bar.l, bar.v / 100, spent(bar), 1]),
    ],
    [
      'baostock',
      csv('date,code,open,high,low,close,preclose,volume,amount,tradestatus', levels, (bar) => [
        ...[bar.date, 'sh.000001', ...ohlc(bar), bar.c, bar.v, spent(bar), 1],
      ]),
    ],
    [
      'tushare',
      csv('ts_code,trade_date,close,open,high,low,vol,amount', levels, (bar) => [
        ...['000001.SH', compact(bar), bar.c, bar.o, bar.h, bar.l, bar.v / 100, spent(bar) / 1_000],
      ]),
    ],
    ['Tongdaxin', csv(CHINA_HEADER, levels, (bar) => [bar.date, bar.o, bar.c, bar.h, bar.l, bar.v, spent(bar)])],
  ])('%s', async (_, text) => {
    expect(await read(text, INDEX)).toMatchObject({ adjusted: null, notes: [] });
    const bars = (await read(text, INDEX)).bars;
    expect(bars.map(({ close, volume }) => [close, volume])).toEqual(levels.map(({ c, v }) => [c, v]));
    if (!/00001/.test(text)) expect((await read(text, SHENZHEN_INDEX)).bars).toHaveLength(levels.length);
    // Of a share the same turnover shows that the prices are adjusted, and its code is that of another exchange.
    const share = { ...INDEX, symbol: '000001' };
    await expect(read(text, share)).rejects.toThrow(
      /These prices are adjusted|is about (sh\.000001|000001\.SH), not about/,
    );
  });
});

test.each(['rounded', 'cut'] as const)('minutes of few lots, %s to whole ones, do not look adjusted', async (how) => {
  const star = formOf('stock', '688981', 'SSE', 'CNY', { size: '1m' });
  const text = (factor: number) =>
    csv(
      '时间,开盘,收盘,最高,最低,成交量,成交额',
      Array.from({ length: 100 }, (_, n) => ({ ...CHINESE[0], v: 230 + ((n * 137) % 1_500) }) as Plain),
      ({ v }, n) => {
        const clock = new Date(Date.UTC(2026, 0, 5, 9, 31 + n)).toISOString().slice(0, 16).replace('T', ' ');
        return [clock, 60, 60, 60, 60, how === 'cut' ? Math.floor(v / 100) : Math.round(v / 100), v * 60 * factor];
      },
    );
  const found = await read(text(1), star);
  expect(found).toMatchObject({ adjusted: null, notes: [expect.stringContaining('make sure that adjust was empty')] });
  expect(found.bars[0]?.volume).toBe(200);
  await expect(read(text(1.6), star)).rejects.toThrow(/These prices are adjusted/);
});

const threeDecimals = (more: string, cell: string) =>
  csv(
    `date;open;high;low;close;${more}`,
    FRANCE.map((bar, n) => ({ ...bar, o: 1.512, h: 1.528, l: 1.5, c: 1.5 + (n % 9) / 1_000 })),
    (bar) => [bar.date, ...ohlc(bar).map((price) => price.toFixed(3)), cell],
    ';',
  );

test('a point before three digits parts thousands where an amount says so; another column alone proves nothing', async () => {
  await expect(read(threeDecimals('change', '0,5'), PARIS)).rejects.toThrow(/one separator before three digits/);
  expect((await read(threeDecimals('change', '0.5'), PARIS)).bars[0]?.open).toBe(1.512);
  expect((await read(threeDecimals('change', ''), PARIS)).bars[0]?.open).toBe(1.512);
  expect((await read(threeDecimals('volume', '1.234.567'), PARIS)).bars[0]?.open).toBe(1_512);
  expect((await read(threeDecimals('turnover', '1.234.567,5'), PARIS)).bars[0]?.open).toBe(1_512);
});

test('a column of counts is no time, whatever its name', async () => {
  const expected = DAYS.map(({ start }) => start);
  for (const header of [`ticks,${HEADER}`, 'ticks,,open,high,low,close,volume', `start,${HEADER}`]) {
    const { bars } = await read(
      csv(header.replace('ticks,,', ',ticks,').replace(/^,ticks/, 'index,ticks'), DAYS, (bar, n) =>
        header.includes(',,') ? [bar.date, n + 17, ...plain(bar).slice(1)] : [n + 17, ...plain(bar)],
      ),
      US,
    );
    expect(bars.map(({ start }) => start)).toEqual(expected);
  }
});

test.each(['Apple Inc. (NASDAQ)', 'Price History (1Y)', 'AAPL (DAILY)', 'Alibaba (ADR)', 'APPLE (INC)', 'Apple (U.S)'])(
  'the title %s names no other instrument',
  async (title) => {
    expect((await read(`${title}\n${csv(HEADER, DAYS, plain)}`, US)).bars).toHaveLength(DAYS.length);
  },
);

const coinIn = (symbol: string, quote: string) => formOf('crypto', symbol, 'KRAKEN', quote, { size: '1d' });

describe('names that writers have for an instrument', () => {
  test.each([
    ['IBM UN Equity', 'IBM'],
    ['BRK/B UN Equity', 'BRK.B'],
    ['ARCX.SPY', 'SPY'],
    ['BATS.SPY', 'SPY'],
    ['EQ/AAPL', 'AAPL'],
    ['USA.AAPL', 'AAPL'],
    ['INDEX_SPX', 'SPX'],
    ['BRK-B.US', 'BRK.B'],
    ['NYSE:BRK.B', 'BRK.B'],
  ])('%s is %s', async (name, symbol) => {
    expect((await read(named(name), { ...US, symbol })).bars).toHaveLength(DAYS.length);
  });

  test.each([
    ['BRK/B UN Equity', 'BRK'],
    ['NYSE:BRK.B', 'BRK'],
    ['EQ.O', 'O'],
    ['BRK.A', 'BRK.B'],
  ])('%s is not %s', async (name, symbol) => {
    await expect(read(named(name), { ...US, symbol })).rejects.toThrow(/is about .*, not about/);
  });

  test('a code of Refinitiv has an exchange after its point, and a class before it', async () => {
    const text = (ric: string) => csv(`#RIC,${HEADER}`, DAYS, (bar) => [ric, ...plain(bar)]);
    expect((await read(text('IMO.A'), { ...US, symbol: 'IMO' })).bars).toHaveLength(DAYS.length);
    await expect(read(text('HEIa.N'), { ...US, symbol: 'HEI' })).rejects.toThrow(/about HEIa\.N/);
  });

  test('sh600000 is the share of Shanghai', async () => {
    expect((await read(named('sh600000', CHINESE), CHINA)).bars).toHaveLength(CHINESE.length);
    await expect(read(named('sh600001', CHINESE), CHINA)).rejects.toThrow(/about sh600001/);
    await expect(read(named('sh000001', CHINESE), { ...CHINA, symbol: '000001' })).rejects.toThrow(/about sh000001/);
    await expect(read(named('sz.000001', CHINESE), INDEX)).rejects.toThrow(/about sz\.000001/);
  });

  test.each([
    ['KRW-BTC', 'BTC', 'KRW', true],
    ['USDT-BTC', 'BTC', 'USDT', true],
    ['ETH-BTC', 'BTC', 'ETH', false],
    ['USDT-USDC', 'USDC', 'USDT', false],
    ['tBTCUSD', 'BTC', 'USD', true],
    ['tBTCEUR', 'BTC', 'USD', false],
    ['XXBTZUSD', 'BTC', 'USD', true],
    ['XETHZUSD', 'ETH', 'USD', true],
    ['XETHZEUR', 'ETH', 'USD', false],
    ['PERPUSDT', 'PERP', 'USDT', true],
    ['PERP/USDT', 'PERP', 'USDT', true],
    ['PERPUSDT-PERP', 'PERP', 'USDT', false],
    ['BTC-PERP', 'BTC', 'USDT', false],
    ['BTC-USDT-SWAP', 'BTC', 'USDT', false],
  ])('%s for %s in %s: %s', async (name, symbol, quote, isSame) => {
    const form = coinIn(symbol, quote);
    const found = read(named(name, barsOf(form)), form);
    if (isSame) expect((await found).bars.length).toBeGreaterThan(0);
    else await expect(found).rejects.toThrow(/is about .*, not about/);
  });

  test('what the coin of a currency column is called', async () => {
    const days = barsOf(COIN_USD);
    const text = csv('date,open,high,low,close,volume,currency', days, (bar) => [
      bar.start,
      ...ohlc(bar),
      bar.v,
      'XBT',
    ]);
    expect((await read(text, COIN_USD)).bars).toHaveLength(days.length);
  });
});

test('coins in yen have decimals, and a share in won has none', async () => {
  const of = (cell: string, form: ForeignForm) =>
    read(
      csv(
        'date;open;high;low;close',
        barsOf({ ...form, size: '1d' }),
        (bar) => [bar.date, cell, cell, cell, cell],
        ';',
      ),
      { ...form, size: '1d' },
    );
  expect((await of('312.450', coinIn('XRP', 'JPY'))).bars[0]?.close).toBe(312.45);
  expect((await of('71,500', SEOUL)).bars[0]?.close).toBe(71_500);
  await expect(of('71.500', SEOUL)).rejects.toThrow(/one separator before three digits/);
  await expect(of('1,015', TOKYO)).rejects.toThrow(/one separator before three digits/);
});

describe('equal distances of longer bars in a file of minutes', () => {
  const text = (gaps: readonly number[]) => {
    const starts = [0];
    for (const gap of gaps) starts.push((starts.at(-1) ?? 0) + gap);
    return csv(
      'date,open,high,low,close',
      starts.map((at) => ({ ...HOURS[0], start: Date.UTC(2026, 0, 5) + at * MINUTE }) as Plain),
      (bar) => [bar.start, ...ohlc(bar)],
    );
  };
  const uneven = (count: number) => Array.from({ length: count }, (_, n) => [1, 2, 1, 3, 7][n % 5] ?? 1);
  const five = (count: number) => Array.from({ length: count }, () => 5);
  const minutes = { ...COIN, size: '1m' } as const;

  test('are chance where they are few', async () => {
    expect((await read(text([...uneven(580), ...five(20)]), minutes)).bars).toHaveLength(601);
  });

  test.each([
    [300, 40],
    [3_000, 110],
  ])('are another size where %d others have %d of them', async (others, count) => {
    await expect(read(text([...uneven(others), ...five(count)]), minutes)).rejects.toThrow(/mostly 5 minutes apart/);
  });
});

describe('tickers that are names of columns', () => {
  const DOWNLOADED = { ...US, already_adjusted: true };

  test.each(['V', 'T', 'C', 'O', 'H', 'L'])('yfinance of %s', async (symbol) => {
    const lines = csv(`Ticker,${Array(5).fill(symbol).join()}`, DAYS, plain);
    const { bars } = await read(`Price,Open,High,Low,Close,Volume\n${lines.replace('\n', '\nDate,,,,,\n')}`, {
      ...DOWNLOADED,
      symbol,
    });
    expect(bars).toHaveLength(DAYS.length);
    const grouped = `Ticker,${Array(5).fill(symbol).join()}\nPrice,Open,High,Low,Close,Volume\nDate,,,,,\n${csv('', DAYS, plain)}`;
    expect((await read(grouped, { ...DOWNLOADED, symbol })).bars).toHaveLength(DAYS.length);
  });

  test('several of them', async () => {
    const of = ['C', 'H', 'L', 'O'];
    const names = ['Open', 'High', 'Low', 'Close', 'Volume'];
    const rows = csv('', DAYS, (bar) => [bar.date, ...of.flatMap(() => plain(bar).slice(1))]);
    const grouped = [
      ['Ticker', ...of.flatMap((one) => names.map(() => one))],
      ['Price', ...of.flatMap(() => names)],
    ];
    const text = [...grouped.map((line) => line.join()), `Date${','.repeat(20)}`, rows].join('\n');
    expect((await read(text, { ...DOWNLOADED, symbol: 'H', only: 'H' })).bars).toHaveLength(DAYS.length);
    const flatRows = csv('', DAYS, (bar) => [
      bar.date,
      ...plain(bar)
        .slice(1)
        .flatMap((cell) => of.map(() => cell)),
    ]);
    const flat = [
      ['Price', ...names.flatMap((name) => of.map(() => name))],
      ['Ticker', ...names.flatMap(() => of)],
    ];
    const other = [...flat.map((line) => line.join()), `Date${','.repeat(20)}`, flatRows].join('\n');
    expect((await read(other, { ...DOWNLOADED, symbol: 'H', only: 'H' })).bars).toHaveLength(DAYS.length);
  });
});

test('only the newest rows can be open bars, and a column that calls all of them open has another meaning', async () => {
  const found = (column: string, word: (n: number) => unknown) =>
    read(
      csv(`date,open,high,low,close,volume,${column}`, HOURS, (bar, n) => [bar.start, ...ohlc(bar), bar.v, word(n)]),
      COIN,
    );
  expect(await found('closed', () => 'False')).toMatchObject({ still_open: 0, rows: HOURS.length });
  expect((await found('closed', () => 'False')).bars).toHaveLength(HOURS.length);
  expect(await found('complete', (n) => n < HOURS.length - 1)).toMatchObject({ still_open: 1 });
  expect(await found('complete', (n) => n % 7 !== 0)).toMatchObject({ still_open: 0 });
  // A stream writes each bar several times, and once at its end.
  const stream = csv(
    `${HEADER},is_final`,
    HOURS.flatMap((bar) => [{ ...bar, c: bar.l }, bar]),
    (bar, n) => [bar.start, ...ohlc(bar), bar.v, n % 2 === 1],
  );
  const { bars, still_open } = await read(stream, COIN);
  expect([bars.map(({ close }) => close), still_open]).toEqual([HOURS.map(({ c }) => c), HOURS.length]);
});

test('turnover that is now too high and now too low for right prices says nothing', async () => {
  const text = (factors: readonly number[]) =>
    csv(CHINA_HEADER, CHINESE, (bar, n) => chinese(bar, 1, factors[n % factors.length]));
  expect(await read(text([1.3, 1, 0.7, 1, 1]), CHINA)).toMatchObject({ adjusted: null, notes: [expect.anything()] });
  await expect(read(text([1.3, 1, 1.2, 1, 1]), CHINA)).rejects.toThrow(/These prices are adjusted/);
});

/** Without the flag by which an archive says that its names are UTF-8. */
function withoutEncoding(zip: Uint8Array): Uint8Array {
  const bytes = Buffer.from(zip);
  for (const [signature, flags] of [
    ['PK\u0003\u0004', 7],
    ['PK\u0001\u0002', 9],
  ] as const) {
    for (let at = bytes.indexOf(signature); at >= 0; at = bytes.indexOf(signature, at + 4)) {
      bytes[at + flags] = (bytes[at + flags] ?? 0) & ~8;
    }
  }
  return bytes;
}
