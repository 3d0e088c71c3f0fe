import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { importBars } from '../../../adapters/market/files/bar-import.ts';
import { namedFiles, namedSource, withListingDates } from '../../../adapters/market/named-source.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import {
  type MarketData,
  NO_ACTIONS_KNOWN,
  OutOfReach,
  SourceUnavailable,
} from '../../../domain/market/market-data.ts';
import { nameBook } from '../../../domain/market/name-book.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { aStatement, FACEBOOK, learned } from '../../builders/names.ts';

const META = { market: 'stock', symbol: 'META', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
const day = (date: string) => Date.parse(`${date}T13:30:00Z`);

/** Has a bar a day under every symbol, and notes what it was asked; the newest bar of a reply has the factor 1. */
function everySymbol() {
  const asked: string[] = [];
  const note = (what: string, { symbol }: Instrument) => void asked.push(`${what} ${symbol}`);
  const source: MarketData = {
    describe: async (instrument) => {
      note('describe', instrument);
      return null;
    },
    async bars(instrument, size, from, to) {
      note(`${new Date(from).toISOString().slice(0, 10)}..${new Date(to).toISOString().slice(0, 10)}`, instrument);
      const bars: Bar[] = [];
      for (let start = from; start + DAY <= to; start += DAY) {
        const prices = { open: 1, high: 1, low: 1, close: 1, volume: 1 };
        bars.push({ start, end: start + DAY, ...prices, split: start + 2 * DAY > to ? 1 : 0.5, total: 1 });
      }
      return { source: 'test', size, bars, dropped: 1 };
    },
    coverage: async (instrument) => {
      note('coverage', instrument);
      return [];
    },
  };
  return { asked, source };
}

const NOW = day('2026-01-30');
const book = nameBook(learned(...FACEBOOK));

test('a source that names by date is asked for each stretch under its name, and factors lead to the newest bar', async () => {
  const { asked, source } = everySymbol();
  const named = namedSource(
    source,
    'of_date',
    () => book,
    () => NOW,
  );
  const { bars, dropped } = await named.bars(META, '1d', day('2022-06-06'), day('2022-06-13'), NOW);
  expect(asked).toEqual(['2022-06-06..2022-06-09 FB', '2022-06-09..2022-06-13 META']);
  expect(bars.map(({ start }) => start)).toEqual(bars.map(({ start }) => start).toSorted());
  expect(bars.map(({ split }) => split)).toEqual([0.25, 0.5, 0.5, 0.5, 0.5, 1]);
  expect(dropped).toBe(2);
});

test('a ratio of a rename is an action: the earlier stretch is in the units of the newest bar', async () => {
  const { source } = everySymbol();
  const renamed = aStatement({ name: 'NEW', from: '2022-06-09', key: 'OLD', kind: 'renamed', ratio: 8 });
  const renames = nameBook(learned(renamed));
  const named = namedSource(
    source,
    'of_date',
    () => renames,
    () => NOW,
  );
  const factors = async (from: string, to: string) =>
    (await named.bars({ ...META, symbol: 'OLD' }, '1d', day(from), day(to), NOW)).bars.map(({ split, total }) => [
      split,
      total,
    ]);
  expect(await factors('2022-06-07', '2022-06-11')).toEqual([
    [1 / 16, 1 / 8],
    [1 / 2, 1],
    [1, 1],
  ]);
  expect(await factors('2022-06-07', '2022-06-08')).toEqual([[1, 1]]);
});

test('a security whose last name is another one by now has no prices from then on, and none by names of today', async () => {
  const reused = nameBook(
    learned(
      aStatement({ name: 'OLD', from: '2026-01-12', key: 'OLD', kind: 'delisted' }),
      aStatement({ name: 'OLD', from: '2026-01-26', key: 'OLD~2', kind: 'reused' }),
    ),
  );
  const { asked, source } = everySymbol();
  const old = { ...META, symbol: 'OLD' };
  const by = (way: 'today' | 'of_date', at: number) =>
    namedSource(
      source,
      way,
      () => reused,
      () => at,
    );
  const span = ['1d', day('2026-01-05'), day('2026-01-29'), NOW] as const;
  await by('of_date', NOW).bars(old, ...span);
  await by('of_date', NOW).bars({ ...old, symbol: 'OLD~2' }, ...span);
  expect(asked.splice(0)).toEqual(['2026-01-05..2026-01-26 OLD', '2026-01-05..2026-01-29 OLD']);
  expect(await by('today', NOW).describe(old)).toBeNull();
  expect(await by('today', NOW).coverage(old, NOW)).toEqual([]);
  await expect(by('today', NOW).bars(old, ...span)).rejects.toBeInstanceOf(OutOfReach);
  expect(asked).toEqual([]);
  await by('today', day('2026-01-13')).bars(old, '1d', day('2026-01-05'), day('2026-01-12'), day('2026-01-13'));
  await by('today', NOW).describe({ ...old, symbol: 'OLD~2' });
  expect(asked).toEqual(['2026-01-05..2026-01-12 OLD', 'describe OLD']);
});

test('a source that names by today is asked once, by the name of today', async () => {
  const { asked, source } = everySymbol();
  const named = namedSource(
    source,
    'today',
    () => book,
    () => NOW,
  );
  await named.bars(META, '1d', day('2022-06-06'), day('2022-06-13'), NOW);
  await named.describe(META);
  await named.describe({ ...META, symbol: 'METV' });
  expect(asked).toEqual(['2022-06-06..2022-06-13 META', 'describe META', 'describe METV']);
});

test('a contract is asked for by its own name, other lines of the coin by theirs', async () => {
  const { asked, source } = everySymbol();
  const contract = aStatement({
    ...{ market: 'crypto', venue: 'BINANCE', asset_class: 'perp', quote: 'USDT' },
    ...{ name: '1000PEPE', key: 'PEPE', kind: 'counter', units: 1000 },
  });
  const contracts = nameBook(learned(contract));
  const named = namedSource(
    source,
    'of_date',
    () => contracts,
    () => NOW,
  );
  const pepe = {
    market: 'crypto',
    symbol: 'PEPE',
    venue: 'BINANCE',
    asset_class: 'perp',
    quote_currency: 'USDT',
  } as const;
  await named.describe(pepe);
  await named.coverage({ ...pepe, asset_class: 'spot' }, NOW);
  await named.bars({ ...pepe, symbol: 'BTC' }, '1d', day('2022-06-06'), day('2022-06-07'), NOW);
  expect(asked).toEqual(['describe 1000PEPE', 'coverage PEPE', '2022-06-06..2022-06-07 BTC']);
});

test('the history begins at the first name of a security that was listed, over renames; a later date of the source wins', async () => {
  const { source } = everySymbol();
  const listed_on = async (symbol: string, stated: string | null = null) => {
    const actions = async () => ({ ...NO_ACTIONS_KNOWN, listed_on: stated });
    const dated = withListingDates({ ...source, actions }, () => book);
    return (await dated.actions?.({ ...META, symbol }, NOW))?.listed_on;
  };
  expect(await listed_on('META')).toBe('2012-05-18');
  expect(await listed_on('METV')).toBe('2021-06-30');
  expect(await listed_on('FB')).toBe('2025-06-24');
  expect(await listed_on('MSFT')).toBeNull();
  expect(await listed_on('META', '2015-01-02')).toBe('2015-01-02');
  expect(await listed_on('META', '2001-01-02')).toBe('2012-05-18');
});

test('one stretch passes on the very bars of its source', async () => {
  const { source } = everySymbol();
  const given = await source.bars(META, '1d', day('2023-06-06'), day('2023-06-09'), NOW);
  const named = namedSource(
    { ...source, bars: async () => given },
    'of_date',
    () => book,
    () => NOW,
  );
  expect((await named.bars(META, '1d', day('2023-06-06'), day('2023-06-09'), NOW)).bars).toBe(given.bars);
});

describe('files of bars that were imported before the names were learned', () => {
  let store: string;
  let files: MarketData;
  beforeAll(async () => {
    store = await mkdtemp(join(tmpdir(), 'stancebook-former-key-'));
    // Facebook under its name until June 2022, and the fund under the same name; a file that names Meta's rows by today.
    await put('FB', ['2021-03-01', '2021-03-02', '2022-06-08', '2025-07-01'], 100, ['2021-03-02', '2025-07-01']);
    await put('META', ['2021-12-01', '2022-06-09', '2022-06-10'], 200);
    await put('NEW', ['2021-06-01', '2022-06-09'], 10);
    await put('OLD', ['2022-06-07'], 800);
    files = namedFiles(
      barFiles(store),
      () => book,
      () => NOW,
    );
  });
  afterAll(() => rm(store, { recursive: true }));

  async function put(symbol: string, dates: readonly string[], price: number, none: readonly string[] = []) {
    const prices = { open: price, high: price, low: price, close: price, volume: 1, adj_close: null };
    const bars = dates.map((date) => ({ start: day(date), end: day(date) + 6.5 * HOUR, ...prices }));
    const about = { time_zone: 'America/New_York', cadence: 'continuous' } as const;
    const terms = { source: 'a test', licence: 'none', imported_at: new Date(0), about };
    const stated = { actions: [], none: none.map(day) };
    await importBars(store, { instrument: { ...META, symbol }, size: '1d', bars, ...stated, ...terms });
  }

  const rowsOf = async (symbol: string, source = files) => {
    const { bars } = await source.bars({ ...META, symbol }, '1d', day('2020-01-02'), NOW, NOW);
    return bars.map(({ start, close, split }) => [new Date(start).toISOString().slice(0, 10), close, split]);
  };

  test('are of the security that had the name on the date of the row, its own folder first', async () => {
    expect(await rowsOf('META')).toEqual([
      ['2021-03-01', 100, 1],
      ['2021-03-02', 100, 1],
      // Both had the name META once: the row stays that of its key.
      ['2021-12-01', 200, 1],
      ['2022-06-09', 200, 1],
      ['2022-06-10', 200, 1],
    ]);
    expect(await rowsOf('FB')).toEqual([['2025-07-01', 100, 1]]);
    expect(await files.describe({ ...META, symbol: 'METV' })).toBeNull();
    await expect(rowsOf('METV')).rejects.toBeInstanceOf(SourceUnavailable);
  });

  test('list and cover a security by the rows that are its own', async () => {
    const covered = async (symbol: string) => (await files.coverage({ ...META, symbol }, NOW))[0]?.spans['1d'];
    expect(await covered('META')).toEqual({ from: day('2021-03-01'), to: day('2022-06-10') + 6.5 * HOUR });
    // From the day on which Facebook left the name.
    expect(await covered('FB')).toEqual({ from: Date.parse('2022-06-09T04:00Z'), to: day('2025-07-01') + 6.5 * HOUR });
    expect(await files.coverage({ ...META, symbol: 'METV' }, NOW)).toEqual([]);
    expect(await files.describe(META)).toMatchObject({ sizes: ['1d'], history_from: day('2021-03-01') });
    expect(await files.describe({ ...META, symbol: 'FB' })).toMatchObject({ sizes: ['1d'] });
    expect((await files.actions?.(META, NOW))?.none).toEqual(['2021-03-02']);
    expect((await files.actions?.({ ...META, symbol: 'FB' }, NOW))?.none).toEqual(['2025-07-01']);
  });

  test('under the names before and after a rename are one series, in the units of the newest', async () => {
    const renamed = aStatement({ name: 'NEW', from: '2022-06-09', key: 'OLD', kind: 'renamed', ratio: 80 });
    const renames = nameBook(learned(renamed));
    const known = namedFiles(
      barFiles(store),
      () => renames,
      () => NOW,
    );
    expect(await rowsOf('OLD', known)).toEqual([
      ['2022-06-07', 800, 1 / 80],
      ['2022-06-09', 10, 1],
    ]);
    expect(await rowsOf('OLD', barFiles(store))).toEqual([['2022-06-07', 800, 1]]);
  });

  test('of which no name is are read as they are', async () => {
    const none = namedFiles(
      barFiles(store),
      () => nameBook([]),
      () => NOW,
    );
    expect(await rowsOf('FB', none)).toHaveLength(4);
    expect(await none.coverage(META, NOW)).toEqual(await barFiles(store).coverage(META, NOW));
  });
});
