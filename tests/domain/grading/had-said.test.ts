import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { bucketOf } from '../../../domain/grading/bucket.ts';
import { hadSaid, moveZ } from '../../../domain/grading/had-said.ts';
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
