import { readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { barFiles } from '../../../../adapters/market/files/bar-files.ts';
import { importPackagedData } from '../../../../adapters/market/files/packaged-data.ts';
import type { Bar, BarSize } from '../../../../domain/market/bars.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY } from '../../../../domain/time.ts';
import { type TemporaryStore, temporaryStore } from '../bar-store.ts';

const US = { market: 'stock', asset_class: 'spot', quote_currency: 'USD' } as const;
const SPX: Instrument = { ...US, symbol: 'SPX', venue: 'NYSE' };
const MSFT: Instrument = { ...US, symbol: 'MSFT', venue: 'NASDAQ' };
const TXN: Instrument = { ...US, symbol: 'TXN', venue: 'NASDAQ' };
const BANK: Instrument = { ...US, symbol: '600000', venue: 'SSE', quote_currency: 'CNY' };
const BTC: Instrument = { ...US, market: 'crypto', symbol: 'BTC', venue: 'COINBASE' };
const ALL = [SPX, MSFT, TXN, BTC, BANK];
const NOW = Date.parse('2026-01-01T00:00:00Z');

let store: TemporaryStore;
beforeAll(async () => {
  store = await temporaryStore();
  await importPackagedData(store.folder);
});
afterAll(() => store.remove());

async function bars(
  instrument: Instrument,
  size: BarSize = '1d',
  from = '1970-01-01',
  days = 30_000,
): Promise<readonly Bar[]> {
  const start = Date.parse(from);
  const series = await barFiles(store.folder).bars(instrument, size, start, start + days * DAY, NOW);
  expect(series.dropped).toBe(0);
  return series.bars;
}

/** The N sessions from a date on, as evaluation.md section 2 sees them: in at the first open, out at the last close. */
async function windowFrom(instrument: Instrument, date: string, count: number) {
  const path = (await bars(instrument, '1d', date, 60)).slice(0, count);
  const [entry, exit] = [path[0], path.at(-1)];
  if (!entry || !exit) throw new Error('no bars');
  const before = (await bars(instrument, '1d', '1970-01-01')).filter(({ end }) => end <= entry.start).slice(-21);
  const returns = before
    .slice(1)
    .map((bar, i) => Math.log((bar.close * bar.total) / ((before[i]?.close ?? 0) * (before[i]?.total ?? 0))));
  const sigma = Math.sqrt(returns.reduce((sum, r) => sum + r * r, 0) / returns.length);
  const move = (price: number, { total }: Bar) => (price * total) / (entry.open * entry.total) - 1;
  return { path, entry, exit, sigma, move, z: Math.log1p(move(exit.close, exit)) / (sigma * Math.sqrt(count)) };
}

function iso(at: number | undefined): string {
  return new Date(at ?? 0).toISOString();
}

describe('the store holds what the packages hold', () => {
  test.each([
    [SPX, 5_105, '2000-01-03T14:30:00.000Z', '2020-04-17T20:00:00.000Z'],
    [MSFT, 3_673, '2000-01-03T14:30:00.000Z', '2014-08-08T20:00:00.000Z'],
    [TXN, 3_673, '2000-01-03T14:30:00.000Z', '2014-08-08T20:00:00.000Z'],
    [BTC, 365, '2016-07-04T00:00:00.000Z', '2017-07-04T00:00:00.000Z'],
    [BANK, 497, '2022-09-01T01:30:00.000Z', '2024-09-19T07:00:00.000Z'],
  ])('%j: %d days from %s to %s', async (instrument, count, first, last) => {
    const days = await bars(instrument);
    expect([days.length, iso(days[0]?.start), iso(days.at(-1)?.end)]).toEqual([count, first, last]);
    const listing = await barFiles(store.folder).describe(instrument);
    expect(listing).toMatchObject({ cadence: 'end_of_day', history_from: days[0]?.start, delisted_at: null });
  });

  test('days end with their session, early closes included', async () => {
    const [early] = await bars(SPX, '1d', '2019-11-29', 1);
    expect([iso(early?.start), iso(early?.end)]).toEqual(['2019-11-29T14:30:00.000Z', '2019-11-29T18:00:00.000Z']);
  });

  test('bitcoin days open at the close before', async () => {
    const days = await bars(BTC, '1d', '2017-07-02', 2);
    expect(days.map(({ open, high, low, close, volume }) => [open, high, low, close, volume])).toEqual([
      [2486.09, 2486.09, 2457.05, 2457.05, null],
      [2457.05, 2486.69, 2457.05, 2486.69, null],
    ]);
  });

  test('minutes of 600000 fill both halves of the day and nothing of the lunch break', async () => {
    const minutes = await bars(BANK, '1m', '2024-06-17', 1);
    expect(minutes).toHaveLength(240);
    expect([iso(minutes[0]?.start), iso(minutes[119]?.end)]).toEqual([
      '2024-06-17T01:30:00.000Z',
      '2024-06-17T03:30:00.000Z',
    ]);
    expect([iso(minutes[120]?.start), iso(minutes[239]?.end)]).toEqual([
      '2024-06-17T05:00:00.000Z',
      '2024-06-17T07:00:00.000Z',
    ]);
    expect(minutes.every(({ split, total }) => split === 1 && total === 1)).toBe(true);
  });
});

describe('the figures of evaluation.md section 9', () => {
  test('MSFT 2003-02-13 over 5 sessions, across its split', async () => {
    const { path, entry, exit, sigma, move, z } = await windowFrom(MSFT, '2003-02-13', 5);
    expect([entry.open, exit.close]).toEqual([46.41, 24.14]);
    expect(path.map(({ split }) => split)).toEqual([0.5, 0.5, 1, 1, 1]);
    expect(100 * move(exit.close, exit)).toBeCloseTo(4.3377, 4);
    expect(sigma).toBeCloseTo(0.025707, 6);
    expect(z).toBeCloseTo(0.738692, 6);
    const highs = path.map((bar) => move(bar.high, bar));
    const lows = path.map((bar) => move(bar.low, bar));
    expect(100 * Math.max(...highs)).toBeCloseTo(7.6737, 4);
    expect(100 * Math.min(...lows)).toBeCloseTo(-0.6033, 4);
    expect(iso(path[highs.indexOf(Math.max(...highs))]?.start)).toMatch(/^2003-02-18/);
    expect(iso(path[lows.indexOf(Math.min(...lows))]?.start)).toMatch(/^2003-02-13/);
  });

  test('S&P 500 2008-09-15 and 2020-03-09 over 5 sessions', async () => {
    const lehman = await windowFrom(SPX, '2008-09-15', 5);
    expect([lehman.entry.open, lehman.exit.close]).toEqual([1250.920044, 1255.079956]);
    expect(lehman.z).toBeCloseTo(0.102497, 6);
    expect((await windowFrom(SPX, '2020-03-09', 5)).z).toBeCloseTo(-1.067895, 6);
  });

  test('600000 in the lunch break of 2024-06-17 for two hours', async () => {
    const path = await bars(BANK, '1m', '2024-06-17T04:00:00Z', 2 / 24);
    expect([path.length, path[0]?.open, path.at(-1)?.close]).toEqual([60, 8.05, 8.08]);
    const { sigma } = await windowFrom(BANK, '2024-06-17', 1);
    expect(sigma).toBeCloseTo(0.009976, 6);
    expect(Math.log(8.08 / 8.05) / (sigma * Math.sqrt(0.25))).toBeCloseTo(0.7457, 3);
  });

  test('TXN falls by half at its split of 2000-05-23 in raw prices only', async () => {
    const [before, after] = await bars(TXN, '1d', '2000-05-22', 2);
    if (!before || !after) throw new Error('no bars');
    expect([before.close, before.split, after.close, after.split]).toEqual([133.75, 0.5, 64, 1]);
    expect(before.close * before.total).toBeCloseTo(55.87, 8);
    expect(after.close * after.total).toBeCloseTo(53.47, 8);
  });
});

describe('importing', () => {
  const outcomes = async (folder: string) => (await importPackagedData(folder)).map(({ outcome }) => outcome);

  test('again changes nothing, and mends what is gone or out of date', async () => {
    const fresh = await temporaryStore();
    expect(await outcomes(fresh.folder)).toEqual(ALL.map(() => 'imported'));
    expect(await outcomes(fresh.folder)).toEqual(ALL.map(() => 'present'));
    await rm(join(fresh.folder, 'stock/NASDAQ/spot/TXN-USD'), { recursive: true });
    await fresh.write('stock/NYSE/spot/SPX-USD/manifest.json', '{}');
    expect(await outcomes(fresh.folder)).toEqual(['imported', 'present', 'imported', 'present', 'present']);
    expect(await barFiles(fresh.folder).describe(SPX)).not.toBeNull();
    await fresh.remove();
  });

  test('by two at once ends with one whole store and nothing left over', async () => {
    const shared = await temporaryStore();
    await Promise.all([outcomes(shared.folder), outcomes(shared.folder)]);
    expect((await readdir(shared.folder)).sort()).toEqual(['crypto', 'stock']);
    for (const instrument of ALL) expect(await barFiles(shared.folder).describe(instrument)).not.toBeNull();
    await shared.remove();
  });

  test('sweeps what a crash left behind, not what another is writing', async () => {
    const crashed = await temporaryStore();
    await crashed.write('.staging-old/fresh/1d.csv', 'half');
    await crashed.write('.staging-new/fresh/1d.csv', 'half');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(join(crashed.folder, '.staging-old'), longAgo, longAgo);
    await importPackagedData(crashed.folder);
    expect((await readdir(crashed.folder)).filter((name) => name.startsWith('.'))).toEqual(['.staging-new']);
    await crashed.remove();
  });

  test('goes without fixtures where there are none', async () => {
    const report = await importPackagedData(store.folder, join(store.folder, 'nowhere'));
    expect(report.map(({ instrument }) => instrument)).not.toContain('stock:600000:SSE:spot:CNY');
  });

  test('a file next to the committed bars names their licence and source', async () => {
    const folder = join(store.folder, 'stock/SSE/spot/600000-CNY');
    expect(await readFile(join(folder, 'NOTICE'), 'utf8')).toMatch(/hqchart 1\.1\.15808[\s\S]*Apache License 2\.0/);
  });
});
