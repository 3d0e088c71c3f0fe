import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { barFiles } from '../../../../adapters/market/files/bar-files.ts';
import type { BarSize } from '../../../../domain/market/bars.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { openCoverage, SourceUnavailable } from '../../../../domain/market/market-data.ts';
import { manifest, type TemporaryStore, temporaryStore } from '../bar-store.ts';

const coin: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'KRAKEN',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const FOLDER = 'crypto/KRAKEN/spot/BTC-USD';
const HEADER = 'start,end,open,high,low,close,volume';
const LATER = Date.parse('2030-01-01T00:00:00Z');

let store: TemporaryStore;
beforeEach(async () => {
  store = await temporaryStore();
  await store.write(`${FOLDER}/manifest.json`, JSON.stringify(manifest));
});
afterEach(() => store.remove());

function at(hour: number): number {
  return Date.parse('2024-01-02T00:00:00Z') + hour * 3_600_000;
}

/** One hour's row, closing at the given price. */
function row(
  hour: number,
  close = 100,
  { open = 100, high = Math.max(open, close), low = Math.min(open, close) } = {},
): string {
  return [new Date(at(hour)).toISOString(), new Date(at(hour + 1)).toISOString(), open, high, low, close, 1].join();
}

async function hours(text: string, { from = 0, to = LATER, now = LATER, size = '1h' as BarSize } = {}) {
  await store.write(`${FOLDER}/${size}.csv`, text);
  const { bars, dropped } = await barFiles(store.folder).bars(coin, size, from, to, now);
  return {
    closes: bars.map(({ close }) => close),
    starts: bars.map(({ start }) => (start - at(0)) / 3_600_000),
    dropped,
  };
}

function file(...rows: readonly string[]): string {
  return `${[HEADER, ...rows].join('\n')}\n`;
}

describe('coverage', () => {
  const coverage = () => barFiles(store.folder).coverage(coin, LATER);
  const write = (ranges: unknown, rest: object = {}) =>
    store.write(`${FOLDER}/manifest.json`, JSON.stringify({ ...manifest, ...rest, ranges }));
  const range = { from: '2024-01-02T00:00:00Z', to: '2024-01-03T00:00:00Z' };

  test('is the range of each size in the manifest', async () => {
    await write({ '1h': range, '1d': { ...range, from: '2020-01-01T00:00:00Z' } }, { delisted_at: range.to });
    expect(await coverage()).toEqual([
      {
        source: 'bar-files',
        spans: {
          '1h': { from: at(0), to: at(24) },
          '1d': { from: Date.UTC(2020, 0, 1), to: at(24) },
        },
        delisted_at: at(24),
      },
    ]);
  });

  test('goes on for a size without a range, whose file may grow', async () => {
    await write({ '1h': range });
    const [files] = await coverage();
    expect(files?.spans['1d']).toEqual({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY });
  });

  test('is nothing without a folder, and nothing is proved by a manifest that cannot be read', async () => {
    expect(await barFiles(store.folder).coverage({ ...coin, symbol: 'ETH' }, LATER)).toEqual([]);
    await store.write(`${FOLDER}/manifest.json`, 'not JSON');
    expect(await coverage()).toEqual([openCoverage('bar-files', () => Number.NEGATIVE_INFINITY)]);
  });

  test.each([
    ['a list', ['1h'], 'ranges contains 0'],
    ['a size that there is not', { '2h': range }, 'ranges contains 2h'],
    ['a text', 'all', 'ranges'],
    ['an end before the beginning', { '1h': { from: range.to, to: range.from } }, 'ranges.1h is not'],
    ['no time', { '1h': { from: 'then', to: range.to } }, 'ranges.1h is not'],
    ['null', { '1h': null }, 'ranges.1h is not'],
  ])('a manifest with %s as ranges is refused', async (_, ranges, message) => {
    await write(ranges);
    await expect(barFiles(store.folder).describe(coin)).rejects.toThrow(message);
  });
});

describe('describe', () => {
  test('returns what the manifest says', async () => {
    expect(await barFiles(store.folder).describe(coin)).toEqual({
      source: 'bar-files',
      sizes: ['1h', '1d'],
      cadence: 'continuous',
      history_from: Date.parse('2024-01-01T00:00:00Z'),
      delisted_at: null,
    });
  });

  test('null for what the store does not have, a store that is not there included', async () => {
    expect(await barFiles(store.folder).describe({ ...coin, symbol: 'ETH' })).toBeNull();
    expect(await barFiles(`${store.folder}/nowhere`).describe(coin)).toBeNull();
  });

  test('a symbol never leads out of its folder', async () => {
    await store.write('manifest.json', JSON.stringify(manifest));
    await store.write('secret-USD/manifest.json', JSON.stringify(manifest));
    const source = barFiles(`${store.folder}/crypto`);
    const hostile = [
      '..',
      '../../..',
      '../../secret',
      '..\\..\\secret',
      '/etc/passwd',
      'BTC-USD/..',
      'A\0',
      '\ud800',
      '',
      '.',
      'A'.repeat(5000),
    ];
    for (const symbol of hostile) expect(await source.describe({ ...coin, symbol })).toBeNull();
    for (const venue of ['..', '../../..', '.', '']) expect(await source.describe({ ...coin, venue })).toBeNull();
    for (const quote_currency of ['USD/..', 'USD/../../../..'])
      expect(await source.describe({ ...coin, quote_currency })).toBeNull();
  });

  test('dots and slashes of symbols keep their folders apart', async () => {
    const share = {
      market: 'stock',
      symbol: 'BRK.B',
      venue: 'NYSE',
      asset_class: 'spot',
      quote_currency: 'USD',
    } as const;
    await store.write('stock/NYSE/spot/BRK.B-USD/manifest.json', JSON.stringify(manifest));
    expect(await barFiles(store.folder).describe(share)).not.toBeNull();
    expect(await barFiles(store.folder).describe({ ...share, symbol: 'BRK/B' })).toBeNull();
  });

  test.each([
    ['{', 'JSON'],
    ['null', 'not an object'],
    [JSON.stringify({ ...manifest, sizes: ['2h'] }), 'sizes'],
    [JSON.stringify({ ...manifest, sizes: [] }), 'sizes'],
    [JSON.stringify({ ...manifest, cadence: 'daily' }), 'cadence'],
    [JSON.stringify({ ...manifest, history_from: 'long ago' }), 'history_from'],
    [JSON.stringify({ ...manifest, delisted_at: undefined }), 'delisted_at'],
    [JSON.stringify({ ...manifest, source: 7 }), 'source'],
  ])('a wrong manifest %s makes the source unavailable and names the file', async (text, fault) => {
    await store.write(`${FOLDER}/manifest.json`, text);
    const described = barFiles(store.folder).describe(coin);
    await expect(described).rejects.toThrow(SourceUnavailable);
    await expect(described).rejects.toThrow(new RegExp(`^bars/${FOLDER}/manifest.json .*${fault}`));
  });
});

describe('bars', () => {
  test('start >= from and end <= to, both edges included', async () => {
    const text = file(row(0, 1), row(1, 2), row(2, 3), row(3, 4));
    expect((await hours(text, { from: at(1), to: at(3) })).closes).toEqual([2, 3]);
    expect((await hours(text, { from: at(1) + 1, to: at(3) - 1 })).closes).toEqual([]);
    expect((await hours(text, { from: at(9), to: at(10) })).closes).toEqual([]);
    expect((await hours(text, { from: at(3), to: at(1) })).closes).toEqual([]);
  });

  test('only final bars: the end is not after now', async () => {
    const text = file(row(0, 1), row(1, 2));
    expect((await hours(text, { now: at(2) })).closes).toEqual([1, 2]);
    expect((await hours(text, { now: at(2) - 1 })).closes).toEqual([1]);
  });

  test('byte order mark, CRLF, blank lines and columns in another order', async () => {
    const text =
      '\uFEFFvolume,close,low,high,open,end,start\r\n\r\n,3,1,4,2,2024-01-02T01:00:00Z,2024-01-02T00:00:00Z\r\n';
    await store.write(`${FOLDER}/1h.csv`, text);
    const { bars } = await barFiles(store.folder).bars(coin, '1h', 0, LATER, LATER);
    const prices = { open: 2, high: 4, low: 1, close: 3, volume: null };
    expect(bars).toEqual([{ start: at(0), end: at(1), ...prices, split: 1, total: 1 }]);
  });

  test('unordered rows are put in order', async () => {
    expect((await hours(file(row(2), row(0), row(1)))).starts).toEqual([0, 1, 2]);
  });

  test('of rows for one span the last one written counts', async () => {
    expect(await hours(file(row(0, 1), row(1, 2), row(0, 9)))).toEqual({ closes: [9, 2], starts: [0, 1], dropped: 0 });
  });

  test('a bar that overlaps an earlier one is dropped and counted', async () => {
    expect(await hours(file(row(0), row(0.5), row(1)))).toEqual({ closes: [100, 100], starts: [0, 1], dropped: 1 });
  });

  test('rows that no market can print are dropped and counted, within the window only', async () => {
    const bad = [
      row(1, 101, { high: 100 }),
      row(2, 99, { low: 100 }),
      row(3, 0),
      row(4, 1, { low: -1 }),
      row(5, 100, { high: 0 }),
    ];
    expect(await hours(file(row(0), ...bad, row(6)))).toEqual({ closes: [100, 100], starts: [0, 6], dropped: 5 });
    expect((await hours(file(row(0), ...bad, row(6)), { from: at(2), to: at(4) })).dropped).toBe(2);
  });

  test('a last line that is still being written is left out', async () => {
    expect((await hours(`${file(row(0))}${row(1).slice(0, 60)}`)).starts).toEqual([0]);
    expect((await hours(`${file(row(0))}${row(1)}`)).starts).toEqual([0]);
  });

  test.each([
    ['', 'line 1: the column start is missing'],
    ['start,end,open,high,low,close\n', 'line 1: the column volume is missing'],
    [`${HEADER},note\n`, 'line 1: the column "note" is unknown or repeated'],
    [`${HEADER},open\n`, 'line 1: the column "open" is unknown or repeated'],
    [file(row(0), '', `${row(1)},7`), 'line 4: 8 cells instead of 7'],
    [file(row(0).replace(',100,', ',abc,')), 'line 2: open "abc" is not a number'],
    [file(row(0).replace(',100,', ',NaN,')), 'line 2: open "NaN" is not a number'],
    [file(row(0).replace(',100,', ',0x10,')), 'line 2: open "0x10" is not a number'],
    [file(row(0).replace(',100,', ',,')), 'line 2: open "" is not a number'],
    [file(row(0).replace('2024-01-02', '2024-02-30')), 'line 2: start "2024-02-30T00:00:00.000Z" is not a time'],
    [file(row(0).replace('Z,', ',')), 'line 2: start "2024-01-02T00:00:00.000" is not a time'],
    [file(row(0).replace('T01', 'T02')), 'line 2: the bar does not last up to 1h'],
    [file(row(0).replace('T01', 'T00')), 'line 2: the bar does not last up to 1h'],
    [file(row(0).replace(/1$/, '-1')), 'line 2: volume is negative'],
  ])('a malformed file (%j) makes the source unavailable: %s', async (text, fault) => {
    const read = hours(text);
    await expect(read).rejects.toThrow(SourceUnavailable);
    await expect(read).rejects.toThrow(`bars/${FOLDER}/1h.csv ${fault}`);
  });

  test('a size that the manifest does not list, or whose file is missing, is unavailable', async () => {
    const source = barFiles(store.folder);
    await expect(source.bars(coin, '5m', 0, 1, LATER)).rejects.toThrow(
      'bar-files has no 5m bars of crypto:BTC:KRAKEN:spot:USD',
    );
    await expect(source.bars(coin, '1h', 0, 1, LATER)).rejects.toThrow(`bars/${FOLDER}/1h.csv ENOENT`);
    await expect(source.bars({ ...coin, symbol: 'ETH' }, '1h', 0, 1, LATER)).rejects.toThrow(SourceUnavailable);
  });

  test('a file that changes is read anew, and one that was mended is served', async () => {
    const source = barFiles(store.folder);
    const closes = async () => (await source.bars(coin, '1h', 0, LATER, LATER)).bars.map(({ close }) => close);
    await store.write(`${FOLDER}/1h.csv`, file(row(0, 1)));
    expect(await Promise.all([closes(), closes()])).toEqual([[1], [1]]);
    await store.write(`${FOLDER}/1h.csv`, 'broken\n');
    await expect(closes()).rejects.toThrow(SourceUnavailable);
    await store.write(`${FOLDER}/1h.csv`, file(row(0, 1), row(1, 2)));
    expect(await closes()).toEqual([1, 2]);
  });
});

describe('factors', () => {
  const DAY = 24;
  const daily = (adjusted: boolean) =>
    [0, 1, 2, 3].map((day) => {
      const close = day < 2 ? 200 : 100;
      return `${new Date(at(day * DAY)).toISOString()},${new Date(at((day + 1) * DAY)).toISOString()},${close},${close},${close},${close},${adjusted ? `,${day === 0 ? 90 : 100}` : ''}`;
    });
  const split = `at,kind,value\n${new Date(at(2 * DAY)).toISOString()},split,2\n`;

  async function factors(size: BarSize): Promise<readonly (readonly [number, number])[]> {
    const { bars } = await barFiles(store.folder).bars(coin, size, 0, LATER, LATER);
    return bars.map(({ split, total }) => [split, total]);
  }

  test('the adjusted close of a daily row gives total, the actions give split', async () => {
    await store.write(`${FOLDER}/1d.csv`, `${HEADER},adj_close\n${daily(true).join('\n')}\n`);
    await store.write(`${FOLDER}/actions.csv`, split);
    expect(await factors('1d')).toEqual([
      [0.5, 0.45],
      [0.5, 0.5],
      [1, 1],
      [1, 1],
    ]);
  });

  test('hours take the factors of their day', async () => {
    await store.write(`${FOLDER}/1d.csv`, `${HEADER},adj_close\n${daily(true).join('\n')}\n`);
    await store.write(`${FOLDER}/actions.csv`, split);
    await store.write(`${FOLDER}/1h.csv`, file(row(-1), row(23), row(24), row(47), row(48)));
    expect(await factors('1h')).toEqual([
      [0.5, 0.45],
      [0.5, 0.45],
      [0.5, 0.5],
      [0.5, 0.5],
      [1, 1],
    ]);
  });

  test('without adjusted closes a dividend takes its share of the close before it', async () => {
    await store.write(`${FOLDER}/1d.csv`, file(...daily(false)));
    await store.write(`${FOLDER}/actions.csv`, `${split}${new Date(at(DAY)).toISOString()},dividend,20\n`);
    expect(await factors('1d')).toEqual([
      [0.5, 0.45],
      [0.5, 0.5],
      [1, 1],
      [1, 1],
    ]);
  });

  test('a new action changes the factors of bars already read', async () => {
    const source = barFiles(store.folder);
    await store.write(`${FOLDER}/1d.csv`, file(...daily(false)));
    const first = async () => (await source.bars(coin, '1d', 0, LATER, LATER)).bars[0]?.split;
    expect(await first()).toBe(1);
    await store.write(`${FOLDER}/actions.csv`, split);
    expect(await first()).toBe(0.5);
  });

  test.each(['at,kind,value\n2024-01-02T00:00:00Z,merger,2\n', 'at,kind,value\n2024-01-02T00:00:00Z,split,0\n'])(
    'a wrong action is named: %j',
    async (text) => {
      await store.write(`${FOLDER}/1d.csv`, file(...daily(false)));
      await store.write(`${FOLDER}/actions.csv`, text);
      await expect(factors('1d')).rejects.toThrow(`bars/${FOLDER}/actions.csv line 2: `);
    },
  );
});
