import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { factorFaults } from '../../../../domain/decisions/submission/admit-submission.ts';

test('factors without ids, or with ids that form no circle, have no faults', () => {
  const factors = [
    { factor: 'x' },
    { factor: 'a', id: 'a' },
    { factor: 'b', id: 'b', depends_on: ['a'] },
    { factor: 'c', id: 'c', depends_on: ['a', 'b'] },
    { factor: 'd', depends_on: ['c'] },
  ];
  expect(factorFaults(factors)).toEqual([]);
});

test('a repeated id, an unknown one and a circle are all reported, each with its path', () => {
  const faults = factorFaults([
    { factor: 'a', id: 'a', depends_on: ['c'] },
    { factor: 'b', id: 'a' },
    { factor: 'c', id: 'c', depends_on: ['a', 'z'] },
  ]);
  expect(faults.map(({ path, received }) => ({ path, received }))).toEqual([
    { path: 'key_factors.1.id', received: 'a' },
    { path: 'key_factors.2.depends_on.1', received: 'z' },
  ]);
});

test('a factor that depends on itself is a circle', () => {
  expect(factorFaults([{ factor: 'a', id: 'a', depends_on: ['a'] }])).toMatchObject([
    { path: 'key_factors', received: ['a'] },
  ]);
});

test('any circle is found, and a graph with only backward references has none', () => {
  const backward = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 2, maxLength: 10 });
  fc.assert(
    fc.property(backward, fc.nat(), fc.nat(), (edges, from, to) => {
      const factors = edges.map((targets, index) => ({
        factor: `f${index}`,
        id: `f${index}`,
        depends_on: index === 0 ? [] : [...new Set(targets.map((target) => `f${target % index}`))],
      }));
      expect(factorFaults(factors)).toEqual([]);
      const first = from % factors.length;
      const last = first + (to % (factors.length - first));
      const chain = factors.map((factor, index) => {
        if (index === first) return { ...factor, depends_on: [...factor.depends_on, `f${last}`] };
        return index > first && index <= last
          ? { ...factor, depends_on: [...factor.depends_on, `f${index - 1}`] }
          : factor;
      });
      expect(factorFaults(chain).map(({ path }) => path)).toEqual(['key_factors']);
    }),
  );
});
