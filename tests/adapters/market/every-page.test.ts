import { expect, test } from '@jest/globals';
import { everyPage } from '../../../adapters/market/candles.ts';

test('the rows of all pages, in order', async () => {
  const pages = [
    { rows: [1, 2], next: 'b' },
    { rows: [], next: 'c' },
    { rows: [3], next: null },
  ];
  const requests: (string | null)[] = [];
  const rows = await everyPage('test', async (next) => pages[requests.push(next) - 1] ?? { rows: [], next: null });
  expect(rows).toEqual([1, 2, 3]);
  expect(requests).toEqual([null, 'b', 'c']);
});

test('a source whose pages never end is unavailable', async () => {
  let requests = 0;
  const endless = everyPage('test', async () => ({ rows: [], next: String(++requests) }));
  await expect(endless).rejects.toMatchObject({ name: 'SourceUnavailable', message: 'test has no last page' });
  expect(requests).toBe(500);
});

test('a source whose pages lead in a circle is unavailable', async () => {
  const circle = everyPage('test', async (next) => ({ rows: [], next: next === 'a' ? 'b' : 'a' }));
  await expect(circle).rejects.toThrow('test has no last page');
});
