import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { phi } from '../../../../domain/grading/paths/normal.ts';

test.each([
  [0, 0.5],
  [0.4307, 0.6666567],
  [0.67449, 0.75],
  [1, 0.841344746068543],
  [1.959963984540054, 0.975],
  [-3, 0.0013498980316301],
  [6, 0.9999999990134123],
])('phi(%d) is %d', (x, expected) => expect(phi(x)).toBeCloseTo(expected, x === 0.4307 || x === 0.67449 ? 6 : 12));

test('stays within [0, 1] at each hundredth of a sigma', () => {
  const outside = Array.from({ length: 2_001 }, (_, i) => i / 100 - 10).filter((x) => phi(x) < 0 || phi(x) > 1);
  expect(outside).toEqual([]);
});

test('stays within [0, 1], grows, and mirrors', () => {
  const x = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(x, x, (a, b) => {
      expect(phi(a)).toBeGreaterThanOrEqual(0);
      expect(phi(a)).toBeLessThanOrEqual(1);
      expect(phi(a) + phi(-a)).toBeCloseTo(1, 12);
      if (a <= b) expect(phi(a)).toBeLessThanOrEqual(phi(b) + 1e-15);
    }),
  );
});
