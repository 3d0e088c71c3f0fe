import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { decompressLz4Frame } from '../../../../adapters/market/files/foreign/columnar-files.ts';
import { readForeignBars } from '../../../../adapters/market/files/foreign/read-bars.ts';
import type { ForeignForm } from '../../../../adapters/market/files/foreign/read-rows.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { PRICES } from './price-files.ts';

const KRAKEN: ForeignForm = {
  ...{ symbol: 'BTC', size: '1h', venue_zone: 'UTC' },
  calendar: calendarOf({ market: 'crypto', venue: 'KRAKEN' }),
};
const NASDAQ: ForeignForm = {
  ...{ symbol: 'AAPL', size: '1h', venue_zone: 'America/New_York' },
  calendar: calendarOf({ market: 'stock', venue: 'NASDAQ' }),
};

/** Written by pandas, pyarrow and polars: make.py of the folder says how. */
const file = (name: string) => readFile(join(import.meta.dirname, '../../../fixtures/feather', name));
const numbersOf = async (bytes: Uint8Array, form: ForeignForm) => {
  const { bars } = await readForeignBars(bytes, form);
  return bars.map(({ start, open, high, low, close, volume }) => [
    new Date(start).toISOString().slice(0, 16),
    ...[open, high, low, close, volume],
  ]);
};
const HOURS = PRICES.map((row, index) => [`2026-01-15T0${index}:00`, ...row]);

describe('Arrow files (Feather version 2)', () => {
  test.each(['freqtrade-hours.feather', 'zstd.feather', 'plain.feather', 'polars-zstd.arrow'])(
    '%s: the same bars as in a plain table',
    async (name) => {
      expect(await numbersOf(await file(name), KRAKEN)).toEqual(HOURS);
    },
  );

  test('in a zip', async () => {
    const bytes = await file('freqtrade-hours.feather');
    const zip = zipSync({ 'BTC_USDT-1h.feather': bytes, 'about.md': strToU8('x') });
    expect(await numbersOf(zip, KRAKEN)).toEqual(HOURS);
  });

  test('blocks of LZ4 that repeat those before them', async () => {
    const bars = await numbersOf(await file('lz4-linked.feather'), KRAKEN);
    const expected = Array.from({ length: 9_000 }, (_, index) => [
      new Date(Date.UTC(2025, 0, 1, index)).toISOString().slice(0, 16),
      ...(PRICES[index % 4] ?? []),
    ]);
    // As one text: the difference of 9,000 rows would take minutes to print.
    expect(JSON.stringify(bars) === JSON.stringify(expected)).toBe(true);
  });

  test.each(['local-float32.feather', 'float32-gzip.parquet'])(
    '%s: times of the venue, prices of 32 bits as they were written',
    async (name) => {
      const [first] = await numbersOf(await file(name), NASDAQ);
      expect(first).toEqual(['2026-01-15T14:30', 101.31, 103.56, 100.75, 102.5, 1200]);
    },
  );

  test.each(['dates.feather', 'polars-dates-zstd.parquet'])('%s: dates name sessions', async (name) => {
    const bars = await numbersOf(await file(name), { ...NASDAQ, size: '1d' });
    expect(bars.map(([start]) => start)).toEqual(['2026-01-15T14:30', '2026-01-16T14:30']);
  });

  test('a name of the file that is another instrument is refused', async () => {
    await expect(numbersOf(await file('local-float32.feather'), { ...NASDAQ, symbol: 'MSFT' })).rejects.toThrow(
      'The file is about AAPL, not about MSFT',
    );
  });

  test('version 1 and streams are refused with what to send; so is a file that is cut off', async () => {
    const refusal = async (bytes: Uint8Array) => readForeignBars(bytes, KRAKEN).catch((error: unknown) => error);
    const whole = await file('freqtrade-hours.feather');
    expect(await refusal(await file('version-1.feather'))).toMatchObject({
      name: 'RefusedFile',
      message: expect.stringMatching(/Feather file of version 1\. Write it anew as version 2/),
    });
    expect(await refusal(whole.subarray(8))).toMatchObject({
      name: 'RefusedFile',
      message: expect.stringMatching(/a stream of Arrow\. Send a file/),
    });
    for (const length of [6, 8, 500, whole.length - 1])
      expect(await refusal(whole.subarray(0, length))).toMatchObject({
        name: 'RefusedFile',
        message: expect.stringMatching(/Feather \(Arrow\) file cannot be read: it is cut off\..*or send CSV/),
      });
  });
});

test('a frame of LZ4 that is broken anywhere is refused, or has as many bytes as were promised', async () => {
  // "abcabcabc...": literals, then a repetition that overlaps itself.
  const block = [0x32, 0x61, 0x62, 0x63, 0x03, 0x00, 0x50, 0x78, 0x78, 0x78, 0x78, 0x78];
  const frame = Uint8Array.from([4, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, block.length, 0, 0, 0, ...block, 0, 0, 0, 0]);
  expect(Buffer.from(decompressLz4Frame(frame, 14)).toString()).toBe('abcabcabcxxxxx');
  for (let cut = 0; cut < frame.length; cut += 1)
    expect(() => decompressLz4Frame(frame.subarray(0, cut), 14)).toThrow();
  for (let at = 0; at < frame.length * 8; at += 1) {
    const flipped = frame.map((byte, index) => (index === at >> 3 ? byte ^ (1 << (at & 7)) : byte));
    let content: Uint8Array | null = null;
    try {
      content = decompressLz4Frame(flipped, 14);
    } catch {}
    expect(content?.length ?? 14).toBe(14);
  }
});
