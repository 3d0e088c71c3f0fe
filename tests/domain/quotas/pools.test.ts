import { expect, test } from '@jest/globals';
import { creditOf, giveUnitBack, takeUnits } from '../../../domain/quotas/pools.ts';

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
  expect([creditOf('realtime', null), creditOf('retroactive', null)]).toEqual([10, 0]);
  expect([creditOf('realtime', 'carried_open'), creditOf('realtime', 'suspected_split')]).toEqual([0, 10]);
});
