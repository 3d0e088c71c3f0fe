import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type OwnerShare, ownerShare } from '../../../domain/cohorts/owner-share.ts';

test('without an earlier answer it is more than a third, or not', () => {
  expect([ownerShare(10, 30, null), ownerShare(11, 30, null)]).toEqual(['up to a third', 'more']);
});

test('it changes when two records and more are beyond a third', () => {
  const shares = [10, 11, 12, 13].map((largest) => ownerShare(largest, 30, 'up to a third'));
  expect(shares).toEqual(['up to a third', 'up to a third', 'up to a third', 'more']);
  expect([12, 8, 7].map((largest) => ownerShare(largest, 30, 'more'))).toEqual(['more', 'more', 'up to a third']);
});

test('after a change no two records change it back', () => {
  const change = fc.constantFrom([1, 1], [0, 1], [-1, -1], [0, -1]);
  fc.assert(
    fc.property(
      fc.integer({ min: 10, max: 200 }),
      fc.integer({ min: 3, max: 600 }),
      change,
      change,
      (largest, rest, a, b) => {
        const records = largest + rest;
        for (const before of ['up to a third', 'more'] satisfies OwnerShare[]) {
          const now = ownerShare(largest, records, before);
          if (now === before) continue;
          const [l = 0, r = 0] = [largest + (a[0] ?? 0) + (b[0] ?? 0), records + (a[1] ?? 0) + (b[1] ?? 0)];
          expect(ownerShare(l, r, now)).toBe(now);
        }
      },
    ),
  );
});
