import { describe, expect, test } from '@jest/globals';
import { requestsOf, sendRows } from '../../../clients/typescript/import/send-rows.ts';
import { calls, type Options, readText, refusals } from './read-import.ts';

const STOCK: Options = { venue: 'NASDAQ', horizon: '5d' };
const CRYPTO: Options = { venue: 'BINANCE', quote: 'USDT', 'asset-class': 'spot', horizon: '4h' };

/** CSV of one row a line, each with what is given. */
function csv(...rows: readonly Readonly<Record<string, string>>[]): string {
  const base = { symbol: 'MSFT', direction: 'bullish', data_cutoff: '2024-01-10T15:00:00Z' };
  const all = rows.map((row) => ({ ...base, ...row }));
  const names = [...new Set(all.flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
  return [
    line(names),
    ...all.map((row) => line(names.map((name) => Object.entries(row).find(([key]) => key === name)?.[1] ?? ''))),
  ].join('\n');
}

describe('files that were cut off', () => {
  const head = 'symbol,direction,data_cutoff,confidence';
  const row = 'MSFT,long,2024-01-10T15:00:00Z,0.7';

  test('are refused where their last line ends before its cells do', async () => {
    const cut = `${head}\n${row}\nMSFT,long,2024-01-11T15:00`;
    await expect(readText(cut, { ...STOCK, zone: 'UTC' })).rejects.toThrow(
      'Line 3 is the last one, has 3 of 4 cells, and no end: the file may be cut off. Get it again.',
    );
  });

  test('are not those whose program leaves empty cells out, or ends no line', async () => {
    const short = 'MSFT,long,2024-01-11T15:00:00Z';
    for (const text of [`${head}\n${short}\n${row}`, `${head}\n${row}\n${short}\n`]) {
      expect(calls(await readText(text, STOCK))).toHaveLength(2);
    }
  });
});

describe('times', () => {
  test.each([
    ['2024-01-10T15:00:00Z', '2024-01-10T15:00:00.000Z'],
    ['2024-01-10 15:00:00.123456789+00:00', '2024-01-10T15:00:00.123Z'],
    ['2024-01-10 10:00-0500', '2024-01-10T15:00:00.000Z'],
    ['1704898800', '2024-01-10T15:00:00.000Z'],
    ['1704898800000', '2024-01-10T15:00:00.000Z'],
    ['1704898800000000', '2024-01-10T15:00:00.000Z'],
    ['1704898800000000000', '2024-01-10T15:00:00.000Z'],
    ['1704898800249000000', '2024-01-10T15:00:00.249Z'],
    ['1704898800.249', '2024-01-10T15:00:00.249Z'],
  ])('%s is %s', async (data_cutoff, at) => {
    expect(calls(await readText(csv({ data_cutoff }), STOCK))).toEqual([`MSFT bullish ${at}`]);
  });

  test.each([
    ...['10/01/2024', '2024-02-30', '2024-01-10 25:00', '15:00', '1970-13-01T00:00:00Z', 'soon', '170489880'],
    ...['2024-01-10T15:00:00+99:00', '2024-01-10T15:00:00-24:00', '2024-01-10T15:00:00+05:60', '2024-01-10 15:00+0099'],
  ])('%s is refused with its line', async (data_cutoff) => {
    expect(refusals(await readText(csv({ data_cutoff }), { ...STOCK, zone: 'UTC' }))).toEqual([
      `line 2: The time "${data_cutoff}" is none such as 2026-01-30T14:30:00Z or 2026-01-30 14:30.`,
    ]);
  });

  test('a date of a stock ends on the clock of its venue; one of a coin needs a zone', async () => {
    const text = csv({ data_cutoff: '2024-01-10' });
    expect(calls(await readText(text, { ...STOCK, zone: 'Asia/Tokyo' }))).toEqual([
      'MSFT bullish 2024-01-11T05:00:00.000Z',
    ]);
    const coin = csv({ symbol: 'BTC', data_cutoff: '2024-01-10' });
    await expect(readText(coin, CRYPTO)).rejects.toThrow('Add --zone');
    expect(calls(await readText(coin, { ...CRYPTO, zone: 'UTC' }))).toEqual(['BTC bullish 2024-01-11T00:00:00.000Z']);
  });

  test.each([
    ['the log of an agent', '[2024-01-10 | MSFT | Buy | pending]\nDECISION:\n**Rating**: Buy\n<!-- ENTRY_END -->'],
    ['columns of its own', csv({ data_cutoff: '2024-01-10' })],
  ])('a date in %s has no end of a bar that is shorter than a day', async (_, text) => {
    const refused = await readText(text, { ...STOCK, bar: '4h' });
    expect([calls(refused), refusals(refused)]).toEqual([
      [],
      [expect.stringContaining('2024-01-10 is a date without a time of day, and bars of 4h have one: leave --bar out')],
    ]);
    for (const bar of ['1d', '24h']) {
      expect(calls(await readText(text, { ...STOCK, bar }))).toEqual(['MSFT bullish 2024-01-11T05:00:00.000Z']);
    }
  });

  const jesse = (opened_at: unknown) => ({
    trades: [
      { strategy_name: 's', symbol: 'BTC-USDT', exchange: 'Binance Spot', type: 'long', holding_period: 3, opened_at },
    ],
  });
  const insight = (generatedTime: number) => [
    {
      ...{ generatedTime, closeTime: generatedTime + 86_400, symbol: 'SPY R735QTJ8XC9X', ticker: 'SPY' },
      ...{ type: 'price', direction: 'up', sourceModel: 'm' },
    },
  ];
  const lean: Options = { venue: 'ARCA' };
  test.each([
    ['seconds where the file has milliseconds', jesse(1_704_898_800), CRYPTO],
    ['a number beyond all dates', jesse(1e300), CRYPTO],
    ['a number below 0', jesse(-1e15), CRYPTO],
    ['milliseconds where the file has seconds', insight(1_704_898_800_000), lean],
    ['a number that is no date in seconds', insight(1e14), lean],
  ])('%s is refused', async (_, content, options) => {
    const read = await readText(content, options);
    expect([calls(read), refusals(read)]).toEqual([
      [],
      [expect.stringContaining('is no time of the years 1974 to 2100')],
    ]);
  });

  test('a local time is the later one where clocks show it twice, and refused where they skip it', async () => {
    const text = csv({ data_cutoff: '2024-11-03 01:30' }, { data_cutoff: '2024-03-10 02:30' });
    const read = await readText(text, { ...STOCK, zone: 'America/New_York' });
    expect(calls(read)).toEqual(['MSFT bullish 2024-11-03T06:30:00.000Z']);
    expect(refusals(read)).toEqual(['line 3: The clocks of America/New_York skip 2024-03-10 02:30.']);
  });

  test('a bar of a day ends at the next midnight of its clock, also when that day has 23 hours', async () => {
    const options = { ...STOCK, zone: 'America/New_York', bar: '1d' };
    const read = await readText(csv({ data_cutoff: '2024-03-10 00:00' }, { data_cutoff: '2024-03-08' }), options);
    expect(calls(read)).toEqual(['MSFT bullish 2024-03-11T04:00:00.000Z', 'MSFT bullish 2024-03-09T05:00:00.000Z']);
    const hours = await readText(csv({ data_cutoff: '2024-01-10 09:30' }), { ...options, bar: '1h' });
    expect(calls(hours)).toEqual(['MSFT bullish 2024-01-10T15:30:00.000Z']);
  });
});

describe('options', () => {
  test.each<[Options, string]>([
    [{ venue: 'NASDAQ' }, 'Add --horizon, such as 5d (trading days) or 4h: one for the whole file.'],
    [{ ...STOCK, horizon: '5 days' }, '--horizon needs a length such as 5d, 4h, 30m or 900s, and is 5 days.'],
    [{ ...STOCK, bar: 'D' }, '--bar needs a length'],
    [{ ...STOCK, zone: 'Mars/Base' }, 'There is no time zone Mars/Base'],
    [{ horizon: '5d' }, 'The file does not say everything. Add --venue, such as NASDAQ or BINANCE.'],
    [{ horizon: '5d', venue: 'BINANCE' }, 'Add --asset-class spot or perp'],
    [{ horizon: '5d', venue: 'BINANCE', 'asset-class': 'spot' }, 'Add --quote, such as USDT'],
    [{ horizon: '5d', venue: 'SOMEWHERE' }, 'Add --market stock or crypto'],
    [{ ...STOCK, format: 'xls' }, 'There is no format xls: name one of freqtrade, lean'],
    [{ ...STOCK, format: 'freqtrade' }, 'file is not the result of a back-test of freqtrade'],
    [{ ...STOCK, member: 'a.csv' }, '--member is for a zip'],
  ])('%j: %s', async (options, message) => {
    await expect(readText(csv({}), options)).rejects.toThrow(message);
  });

  test('say nothing against the file: a quote that the venue lacks is refused', async () => {
    expect(refusals(await readText(csv({}), { ...STOCK, quote: 'EUR' }))).toEqual([
      'line 2: quote_currency is not supported: on NASDAQ send USD',
    ]);
  });

  test('of an exchange that only some services support are sent as they are', async () => {
    const { rows } = await readText(csv({ symbol: 'BTC' }), { ...CRYPTO, market: 'crypto', venue: 'hyperliquid' });
    expect(rows[0]?.instrument).toBe('crypto:BTC:HYPERLIQUID:spot:USDT');
  });
});

describe('rows', () => {
  test('have the same ids in every run, and other ones for other instruments, directions and times', async () => {
    const text = csv(
      {},
      { direction: 'bearish' },
      { symbol: 'AAPL' },
      { data_cutoff: '2024-01-11T15:00:00Z' },
      { model: 'x' },
    );
    const ids = (await readText(text, STOCK)).rows.map(({ row }) => row.external_id);
    expect([new Set(ids).size, ids.every((id) => /^[\x21-\x7e]{1,64}$/.test(id))]).toEqual([5, true]);
    expect((await readText(text, { ...STOCK, horizon: '9d' })).rows.map(({ row }) => row.external_id)).toEqual(ids);
  });

  test('are refused where their window is not over, or trades too little', async () => {
    const read = await readText(csv({ data_cutoff: '2026-05-29T15:00:00Z' }, { data_cutoff: '2024-01-13T15:00:00Z' }), {
      ...STOCK,
      horizon: '2h',
    });
    expect([read.rows.length, refusals(read)]).toEqual([
      1,
      [expect.stringContaining('line 3: NASDAQ trades too little within these 7200 seconds')],
    ]);
    const open = await readText(csv({ data_cutoff: '2026-05-29T15:00:00Z' }), STOCK);
    expect(refusals(open)).toEqual([
      'line 2: The window ends at 2026-06-05T20:00:00.000Z: send rows whose windows are over, and submit others as decisions.',
    ]);
  });

  test('fit into 2 KiB, without characters that do not show and halves of pairs', async () => {
    const summary = `\u202eHidden\u0000 ${'\u{1f600}'.repeat(2_000)}`;
    const { rows } = await readText(csv({ summary, factor: 'f'.repeat(900) }), STOCK);
    const [first] = rows;
    expect(first?.row.summary).toMatch(/^Hidden \u{1f600}+\u2026$/u);
    expect(first?.row.key_factors).toEqual([`${'f'.repeat(279)}\u2026`]);
    expect(new TextEncoder().encode(JSON.stringify(first?.row)).length).toBeLessThanOrEqual(2_048);
  });

  test('with levels are plans unless they are neutral', async () => {
    const { rows } = await readText(
      csv({ target: '400', stop: '350', direction: 'long' }, { target: '400', direction: 'flat' }),
      STOCK,
    );
    expect(rows.map(({ row }) => row.price_targets)).toEqual([
      { targets: [{ price: 400 }], stop_loss: { price: 350, kind: 'hard' } },
      undefined,
    ]);
  });
});

describe('requests', () => {
  const many = async (count: number, summary = '') =>
    readText(
      csv(...Array.from({ length: count }, (_, n) => ({ data_cutoff: String(1704898800 + 60 * n), summary }))),
      STOCK,
    );

  test('have at most 1,000 rows and 1 MiB, and all rows in their order', async () => {
    for (const imported of [await many(2_500), await many(1_000, 'x'.repeat(1_500))]) {
      const batches = requestsOf(imported);
      expect(batches.flatMap(({ rows }) => rows)).toEqual(imported.rows.map(({ row }) => row));
      for (const batch of batches) {
        expect(batch.rows.length).toBeLessThanOrEqual(1_000);
        expect(new TextEncoder().encode(JSON.stringify(batch)).length).toBeLessThanOrEqual(1024 * 1024);
      }
    }
  });

  test('are counted, and refusals of the service get their place in the file', async () => {
    const imported = await many(1_500);
    const seen: unknown[] = [];
    const post = async ({ rows }: { readonly rows: readonly { readonly external_id: string }[] }) => ({
      accepted: rows.length - 1,
      repeated: 0,
      refused: [
        {
          row: 0,
          external_id: rows.length < 1_000 ? null : (rows[0]?.external_id ?? ''),
          details: [{ path: 'symbol', message: 'is unknown' }],
        },
      ],
    });
    const ended = await sendRows(imported, post, (progress, refused) =>
      seen.push([progress.sent, refused.map(({ place, why }) => [place, why])]),
    );
    expect(ended).toEqual({ sent: 1_500, of: 1_500, accepted: 1_498, repeated: 0, refused: 2 });
    expect(seen).toEqual([
      [1_000, [['line 2', 'symbol: is unknown']]],
      [1_500, [['line 1002', 'symbol: is unknown']]],
    ]);
  });
});
