import { expect, test } from '@jest/globals';
import { pace } from '../../../adapters/market/source-client.ts';
import { SECOND } from '../../../domain/time.ts';

const START = Date.UTC(2026, 2, 2);

test('the burst goes out at once, what follows at the rate', () => {
  const turns = pace({ perSecond: 2, burst: 3 });
  expect(Array.from({ length: 6 }, () => turns.book(1, START))).toEqual([0, 0, 0, 500, 1_000, 1_500]);
});

test('in any stretch of time no more is sent than burst and rate allow', () => {
  const turns = pace({ perSecond: 5, burst: 5 });
  const sent = Array.from({ length: 60 }, (_, i) => {
    const now = START + i * 100;
    return now + (turns.book(1, now) ?? Number.NaN);
  });
  for (const [i, from] of sent.entries()) {
    for (const [j, to] of sent.entries()) {
      if (j >= i) expect(j - i + 1).toBeLessThanOrEqual(5 + ((to - from) / SECOND) * 5 + 1e-6);
    }
  }
});

test('a rest fills it up to the burst, and no further', () => {
  const turns = pace({ perSecond: 10, burst: 2 });
  for (let i = 0; i < 4; i++) turns.book(1, START);
  const end = START + 3_600 * SECOND;
  expect(Array.from({ length: 3 }, () => turns.book(1, end))).toEqual([0, 0, 100]);
});

test('a request that would wait longer than 20 s is refused, at no cost to later ones', () => {
  const turns = pace({ perSecond: 1, burst: 1 });
  for (let i = 0; i < 21; i++) expect(turns.book(1, START)).toBe(i * SECOND);
  for (let i = 0; i < 5; i++) expect(turns.book(1, START)).toBeNull();
  expect(turns.book(1, START + SECOND)).toBe(20 * SECOND);
});

test('a source that asks for a pause gets one, of the longest time that it asked for', () => {
  const turns = pace({ perSecond: 10, burst: 10 });
  turns.hold(START + 15 * SECOND);
  turns.hold(START + 5 * SECOND);
  expect(turns.book(1, START)).toBe(15 * SECOND);
  turns.hold(START + 60 * SECOND);
  expect(turns.book(1, START)).toBeNull();
  expect(turns.book(1, START + 60 * SECOND)).toBe(0);
});
