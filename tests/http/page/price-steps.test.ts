import { expect, test } from '@jest/globals';
import { priceSteps } from '../../../adapters/http/page/browser/records/path-points.ts';

test.each([
  [27_350, 2],
  [143.2, 3],
  [1, 5],
  [0.004_2, 8],
  [0.000_000_012, 13],
])('the axis of a price of %p has steps of %p decimals, so that it has labels', (price, precision) => {
  expect(priceSteps(price)).toEqual({ type: 'price', minMove: 10 ** -precision, precision });
});
