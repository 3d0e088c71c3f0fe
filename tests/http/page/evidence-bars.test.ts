import { expect, test } from '@jest/globals';
import { barsBefore, barsOfContext } from '../../../adapters/http/page/browser/records/path-points.ts';
import { proofText } from '../../../domain/log/tree/proof.ts';
import { barText } from '../../../domain/market/bar-cache.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { DAY } from '../../../domain/time.ts';

const START = Date.UTC(2003, 0, 6);

function day(n: number): Bar {
  const start = START + n * DAY;
  return { start, end: start + DAY, open: 1, high: 3, low: 1, close: 2 + n, volume: null, split: 1, total: 1 };
}

const DAYS = Array.from({ length: 10 }, (_, n) => day(n));

function receipt(extra: unknown): string {
  const bytes = extra === null ? null : new TextEncoder().encode(JSON.stringify(extra));
  return proofText({ extra: bytes, index: 1, hashes: [], checkpoint: 'a note' });
}

const [older, newer] = [barText(DAYS.slice(0, 6)), barText(DAYS.slice(6))];
const document = (path: readonly string[], daily: readonly string[]) =>
  JSON.stringify({ path: { bars: path }, daily: { bars: daily } });

test('the daily bars of the evidence that ended before a time, the newest of them', () => {
  const own = { document: document(['p'], ['a', 'b']), bars: [barText([day(8)]), older, newer] };
  const bars = barsBefore(receipt({ evidence: own }), START + 8 * DAY, 4);
  expect(bars.map(({ close }) => close)).toEqual([6, 7, 8, 9]);
});

test('a text that the path and the daily bars share is there once', () => {
  const shared = { document: document(['a', 'b'], ['a', 'b']), bars: [older, newer] };
  expect(barsBefore(receipt({ evidence: shared }), START + 3 * DAY, 60).map(({ close }) => close)).toEqual([2, 3, 4]);
});

test('a receipt without evidence has no bars, and what is no receipt is an error', () => {
  expect(barsBefore(receipt({ v: 1 }), START, 60)).toEqual([]);
  expect(barsBefore(receipt(null), START, 60)).toEqual([]);
  expect(() => barsBefore('a note', START, 60)).toThrow('The proof does not start with');
});

test('about as many bars as the path has, within bounds', () => {
  expect([1, 35, 400].map(barsOfContext)).toEqual([20, 35, 60]);
});
