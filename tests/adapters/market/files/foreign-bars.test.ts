import { describe, expect, test } from '@jest/globals';
import {
  type ForeignForm,
  parseForeignActions,
  parseForeignBars,
} from '../../../../adapters/market/files/foreign-bars.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';

const NASDAQ: ForeignForm = {
  size: '1h',
  calendar: calendarOf({ market: 'stock', venue: 'NASDAQ' }),
  time_zone: 'America/New_York',
  times: 'start',
};
const KRAKEN: ForeignForm = {
  ...NASDAQ,
  calendar: calendarOf({ market: 'crypto', venue: 'KRAKEN' }),
  time_zone: 'UTC',
};

const spans = async (form: ForeignForm, header: string, ...rows: readonly string[]) => {
  const { bars } = await parseForeignBars([header, ...rows].join('\n'), form);
  return bars.map(({ start, end }) => [start, end].map((at) => new Date(at).toISOString().slice(0, 16)).join(' '));
};

describe('times', () => {
  test.each([
    ['datetime,open,high,low,close', '2026-01-30 09:30,1,1,1,1'],
    ['Timestamp,Open,High,Low,Close', '2026-01-30T09:30:00,1,1,1,1'],
    ['date,time,open,high,low,close', '20260130,09:30,1,1,1,1'],
    ['time,close,low,high,open,day', '09:30:00,1,1,1,1,2026/01/30'],
    ['datetime,open,high,low,close', '2026-01-30T09:30:00-05:00,1,1,1,1'],
    ['datetime,open,high,low,close', '2026-01-30T14:30:00.000Z,1,1,1,1'],
  ])('%s: %s is the first hour of the session', async (header, row) => {
    expect(await spans(NASDAQ, header, row)).toEqual(['2026-01-30T14:30 2026-01-30T15:30']);
  });

  test('may name the end of the bar', async () => {
    const row = '2026-01-30 10:30,1,1,1,1';
    expect(await spans({ ...NASDAQ, times: 'end' }, 'datetime,open,high,low,close', row)).toEqual([
      '2026-01-30T14:30 2026-01-30T15:30',
    ]);
  });

  test('a bar is cut to its session, one outside of every session is counted', async () => {
    const text =
      'datetime,open,high,low,close\n2026-01-30 15:30,1,1,1,1\n2026-01-30 16:00,1,1,1,1\n2026-01-31 10:00,1,1,1,1';
    const read = await parseForeignBars(text, NASDAQ);
    expect(read).toMatchObject({ rows: 3, outside: 2, bars: [{ end: Date.UTC(2026, 0, 30, 21) }] });
  });

  test('a day is its session, early closes included; of a coin the UTC day', async () => {
    const [header, row] = ['date,open,high,low,close', '2025-11-28,1,1,1,1'];
    expect(await spans({ ...NASDAQ, size: '1d' }, header, row)).toEqual(['2025-11-28T14:30 2025-11-28T18:00']);
    expect(await spans({ ...KRAKEN, size: '1d' }, header, row)).toEqual(['2025-11-28T00:00 2025-11-29T00:00']);
  });

  test.each([
    ['a date alone for an hour', '2026-01-30'],
    ['a time that was skipped', '2026-03-08 02:30'],
    ['a month that is none', '2026-13-01 10:00'],
    ['an hour that is none', '2026-01-30 25:00'],
    ['the American way', '01/30/2026 09:30'],
    ['seconds since 1970', '1769783400'],
    ['nothing', ''],
  ])('%s is refused by line', async (_, written) => {
    const text = `datetime,open,high,low,close\n${written},1,1,1,1`;
    await expect(parseForeignBars(text, NASDAQ)).rejects.toThrow('line 2: ');
  });
});

test('adjusted close and volume are read where there are any; the last row needs no line end', async () => {
  const text = '\uFEFFDate,Open,High,Low,Close,Adj Close,Vol\r\n2026-01-30,1,2,1,2,1.5,\r\n2026-01-29,1,2,1,2,1.4,7';
  const { bars, ignored_columns } = await parseForeignBars(text, { ...NASDAQ, size: '1d' });
  expect(bars).toMatchObject([
    { adj_close: 1.5, volume: null },
    { adj_close: 1.4, volume: 7 },
  ]);
  expect(ignored_columns).toEqual([]);
});

test.each([
  ['no header', '2026-01-30,1,1,1,1\n2026-01-30,1,1,1,1', 'the column open is missing'],
  ['no time', 'open,high,low,close\n1,1,1,1', 'no column date'],
  ['two columns of one name', 'date,open,open,high,low,close\n2026-01-30,1,1,1,1,1', 'unknown or repeated'],
  ['quotes', 'date,open,high,low,close\n"2026-01-30",1,1,1,1', 'quotes'],
  ['an empty text', '', 'no rows'],
  ['a negative volume', 'date,open,high,low,close,volume\n2026-01-30,1,1,1,1,-1', 'line 2: volume'],
  ['a price with a comma', 'date,open,high,low,close\n2026-01-30,1,1,1,1,234', 'line 2: 6 cells'],
])('%s is refused', async (_, text, fault) => {
  await expect(parseForeignBars(text, { ...NASDAQ, size: '1d' })).rejects.toThrow(fault);
});

test('actions may name the day instead of its open', async () => {
  const open = Date.UTC(2003, 1, 18, 14, 30);
  const text = 'at,kind,value\n2003-02-18,split,2\n2003-02-18T14:30:00Z,dividend,0.08\n2003-02-19,none';
  expect(await parseForeignActions(text, NASDAQ.calendar)).toEqual({
    actions: [
      { at: open, kind: 'split', value: 2 },
      { at: open, kind: 'dividend', value: 0.08 },
    ],
    none: [open + 24 * 3_600_000],
  });
  await expect(parseForeignActions('at,kind,value\n2003-02-16,split,2', NASDAQ.calendar)).rejects.toThrow('line 2');
});
