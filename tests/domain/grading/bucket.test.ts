import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bucketOf } from '../../../domain/grading/bucket.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';

const less = 1e-9;

describe('every edge of the quartiles', () => {
  test.each([
    [0.67449, 'strong_correct', 'strong_incorrect'],
    [0.67449 - less, 'weak_correct', 'weak_incorrect'],
    [less, 'weak_correct', 'weak_incorrect'],
    [0, 'weak_incorrect', 'weak_incorrect'],
    [-less, 'weak_incorrect', 'weak_correct'],
    [-0.67449 + less, 'weak_incorrect', 'weak_correct'],
    [-0.67449, 'strong_incorrect', 'strong_correct'],
  ])('%p is %s for a bullish and %s for a bearish decision', (z0, bullish, bearish) => {
    expect(bucketOf('bullish', z0)).toBe(bullish);
    expect(bucketOf('bearish', z0)).toBe(bearish);
  });

  test.each([
    [0, 'strong_correct'],
    [0.318639, 'strong_correct'],
    [0.318639 + less, 'weak_correct'],
    [0.67449, 'weak_correct'],
    [0.67449 + less, 'weak_incorrect'],
    [1.150349, 'weak_incorrect'],
    [1.150349 + less, 'strong_incorrect'],
  ])('a move of %p either way is %s for a neutral decision', (a, bucket) => {
    expect([bucketOf('neutral', a), bucketOf('neutral', -a)]).toEqual([bucket, bucket]);
  });
});

describe('any move', () => {
  const z = fc.double({ min: -5, max: 5, noNaN: true });

  test('except 0 is as right for one direction as it is wrong for the other', () => {
    fc.assert(
      fc.property(z, (z0) => {
        fc.pre(z0 !== 0);
        const [bull, bear] = [bucketOf('bullish', z0), bucketOf('bearish', z0)].map((b) => RESULT_BUCKETS.indexOf(b));
        expect((bull ?? 0) + (bear ?? 0)).toBe(3);
      }),
    );
  });

  test('further up is never worse for a bullish decision, further out never better for a neutral one', () => {
    fc.assert(
      fc.property(z, z, (one, other) => {
        const rank = (direction: 'bullish' | 'neutral', z0: number) => RESULT_BUCKETS.indexOf(bucketOf(direction, z0));
        const byValue = [one, other].toSorted((a, b) => b - a).map((z0) => rank('bullish', z0));
        const bySize = [one, other].toSorted((a, b) => Math.abs(a) - Math.abs(b)).map((z0) => rank('neutral', z0));
        expect(byValue).toEqual(byValue.toSorted());
        expect(bySize).toEqual(bySize.toSorted());
      }),
    );
  });
});
