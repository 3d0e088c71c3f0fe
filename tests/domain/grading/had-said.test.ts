import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import {
  bucketOf,
  hadSaid,
  hadSaidCounts,
  MOVE_RANGES,
  moveRange,
  movesOfOne,
  moveZ,
} from '../../../domain/grading/bucket.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { minutesOf, outcomeOf, tenMinutes } from './evaluations.ts';

test('the move follows from the stored facts, whatever was said', () => {
  const move = fc.array(fc.integer({ min: 90, max: 110 }), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(move, fc.constantFrom(...DIRECTIONS), (closes, direction) => {
      const said = outcomeOf(tenMinutes(minutesOf(closes), { call: { direction } }));
      const bullish = outcomeOf(tenMinutes(minutesOf(closes)));
      const move_z = moveZ(direction, said.facts);
      expect(move_z).toBe(bullish.facts.z);
      expect(hadSaid(move_z)[direction]).toBe(said.result_bucket);
    }),
  );
});

test('a move of nothing is incorrect for both directions, and never a negative zero', () => {
  expect(DIRECTIONS.map((direction) => moveZ(direction, { z: 0, raw_return: 0 }))).toEqual([0, 0, 0]);
  expect(hadSaid(0)).toEqual({ bullish: 'weak_incorrect', bearish: 'weak_incorrect', neutral: 'strong_correct' });
});

test('each direction gets its bucket', () => {
  expect(hadSaid(1)).toEqual({ bullish: 'strong_correct', bearish: 'strong_incorrect', neutral: 'weak_incorrect' });
  fc.assert(
    fc.property(fc.double({ min: -4, max: 4, noNaN: true }), (z) => {
      expect(hadSaid(z)).toEqual(Object.fromEntries(DIRECTIONS.map((each) => [each, bucketOf(each, z)])));
    }),
  );
});

const anyMove = fc.oneof(
  fc.double({ min: -4, max: 4, noNaN: true }),
  fc.constantFrom(0, 0.318639, 0.67449, 1.150349, -0.318639, -0.67449, -1.150349),
  fc
    .tuple(fc.constantFrom(0, 0.318639, 0.67449, 1.150349), fc.constantFrom(-1, 1), fc.constantFrom(-1e-12, 1e-12))
    .map(([edge, sign, off]) => sign * (edge + off)),
);

test('every move is within one range, the ranges are in order, and each is in use', () => {
  const edges = [-1.2, -1, -0.67449, -0.5, -0.318639, 0, 0.318639, 0.5, 0.67449, 1.150349, 1.2];
  expect(edges.map(moveRange)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(MOVE_RANGES).toBe(11);
  const inOrder = fc.property(anyMove, anyMove, (a, b) => {
    expect(moveRange(a)).toBeGreaterThanOrEqual(0);
    expect(Math.sign(moveRange(a) - moveRange(b)) * Math.sign(a - b)).toBeGreaterThanOrEqual(0);
  });
  fc.assert(inOrder, { numRuns: 1_000 });
});

test('the counts by range give the counts of each direction exactly', () => {
  fc.assert(
    fc.property(fc.array(anyMove, { maxLength: 30 }), (moves) => {
      const counts = hadSaidCounts(
        moves.map((move_z) => movesOfOne(moveRange(move_z))),
        moves.length,
      );
      for (const direction of DIRECTIONS) {
        for (const bucket of RESULT_BUCKETS) {
          const expected = moves.filter((move_z) => bucketOf(direction, move_z) === bucket).length;
          expect(counts?.[direction][bucket]).toBe(expected);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('there are no counts until the range of every record is known', () => {
  expect(hadSaidCounts([movesOfOne(3), movesOfOne(null)], 2)).toBeNull();
  expect(hadSaidCounts([], 0)?.neutral.strong_correct).toBe(0);
});
