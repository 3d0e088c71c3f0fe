import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fetchPlan } from '../../../application/grading/sealed-evidence.ts';

const span = fc
  .record({ size: fc.constantFrom('1m', '1d'), from: fc.nat(1_000), length: fc.integer({ min: 1, max: 100 }) })
  .map(({ size, from, length }) => ({ size: size as '1m' | '1d', from, to: from + length }));

test('every span lies within one fetch of its size, and no two fetches of a size meet', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), (spans) => {
      const plan = fetchPlan(spans);
      for (const { size, from, to } of spans) {
        expect(plan.some((fetch) => fetch.size === size && fetch.from <= from && fetch.to >= to)).toBe(true);
      }
      for (const one of plan) {
        const others = plan.filter((other) => other !== one && other.size === one.size);
        expect(others.every((other) => other.to < one.from || other.from > one.to)).toBe(true);
      }
    }),
  );
});

test('nothing is fetched beyond the requested spans', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), (spans) => {
      const requested = new Set(
        spans.flatMap(({ size, from, to }) => Array.from({ length: to - from }, (_, i) => `${size}${from + i}`)),
      );
      const fetched = fetchPlan(spans).flatMap(({ size, from, to }) =>
        Array.from({ length: to - from }, (_, i) => `${size}${from + i}`),
      );
      expect(new Set(fetched)).toEqual(requested);
    }),
  );
});
