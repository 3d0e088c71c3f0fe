import { expect, test } from '@jest/globals';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { creditOf, giveUnitBack, mostOfNetwork, mostOfOwner, takeUnits } from '../../../domain/quotas/pools.ts';

test('units are taken up to base and credit, else none', () => {
  expect(takeUnits(20, { used: 29, credit: 10 }, 1)).toEqual({ used: 30, credit: 10 });
  expect(takeUnits(20, { used: 30, credit: 10 }, 1)).toBeNull();
  expect(takeUnits(200, { used: 199, credit: 0 }, 2)).toBeNull();
});

test('a unit that is given back is never below none used', () => {
  expect(giveUnitBack({ used: 2, credit: 10 })).toEqual({ used: 1, credit: 10 });
  expect(giveUnitBack({ used: 0, credit: 10 })).toEqual({ used: 0, credit: 10 });
});

test('only the evaluation of a realtime record earns credit', () => {
  expect([creditOf('realtime', null, 'eval/3'), creditOf('retroactive', null, 'eval/3')]).toEqual([10, 0]);
  const flagged = (method: string) =>
    (['carried_open', 'suspected_split'] as const).map((each) => creditOf('realtime', each, method));
  expect([flagged('eval/2'), flagged('eval/3')]).toEqual([
    [0, 10],
    [0, 0],
  ]);
});

test('a network keeps as much as its owners, and never more than can be counted', () => {
  const { rows, bytes } = mostOfOwner('publication', CONTRACT_LIMITS);
  const owners = CONTRACT_LIMITS.keptOwnersPerNetwork;
  expect(mostOfNetwork('publication', CONTRACT_LIMITS)).toEqual({ rows: rows * owners, bytes: bytes * owners });
  const highest = 2 ** 31 - 1;
  const limits = { publicationsPerDay: highest, publishedBytesPerDay: 2 ** 50, keptOwnersPerNetwork: highest };
  expect(mostOfNetwork('publication', { ...CONTRACT_LIMITS, ...limits })).toEqual({
    rows: highest,
    bytes: Number.MAX_SAFE_INTEGER,
  });
});
