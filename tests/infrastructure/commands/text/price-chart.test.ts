import { expect, test } from '@jest/globals';
import type { Bar } from '../../../../domain/market/bars.ts';
import { DAY } from '../../../../domain/time.ts';
import { priceChart, table } from '../../../../infrastructure/commands/text.ts';

function bar(day: number, close: number, changes: Partial<Bar> = {}): Bar {
  const prices = { open: close, high: close + 1, low: close - 1, close };
  return { start: day * DAY, end: (day + 1) * DAY, ...prices, volume: null, split: 1, total: 1, ...changes };
}

test('a column per bar, from low to high, with prices at the left and dates below', () => {
  const lines = priceChart([bar(0, 10), bar(1, 16), bar(2, 22)])?.split('\n') ?? [];
  expect(lines).toHaveLength(16);
  expect(lines[0]).toBe('23 ┤  │');
  expect(lines[7]).toBe('16 ┤ ●');
  expect(lines[13]).toBe('   ┤●');
  expect(lines[14]).toBe(' 9 ┤│');
  expect(lines[15]).toMatch(/^ {4}1970-01-01 {1,2}1970-01-04$/);
});

test('many bars share columns, each of which closes as its last', () => {
  const chart = priceChart(Array.from({ length: 1_000 }, (_, day) => bar(day, 100 + day))) ?? '';
  expect(chart.match(/●/g)).toHaveLength(72);
  expect(Math.max(...chart.split('\n').map(({ length }) => length))).toBeLessThan(85);
});

test('a split leaves no step', () => {
  const chart = priceChart([bar(0, 20, { high: 20, low: 20, split: 0.5 }), bar(1, 10, { high: 10, low: 10 })]) ?? '';
  expect(chart.split('\n').filter((line) => line.includes('●'))).toEqual(['10 ┤●●']);
});

test('no bars, no chart', () => {
  expect(priceChart([])).toBeNull();
});

test('a table is as wide as its cells, numbers at the right', () => {
  expect(
    table(
      ['name', 'n'],
      [
        ['a', '1'],
        ['long', '200'],
      ],
    ),
  ).toBe('name    n\n----  ---\na       1\nlong  200');
  expect(table(['name'], [])).toBe('name\n----');
});
