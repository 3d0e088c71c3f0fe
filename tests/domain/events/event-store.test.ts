import { expect, test } from '@jest/globals';
import { isBeyond } from '../../../domain/events/event.ts';

test.each([
  ['h 5 1', 'h 5 1', false],
  ['h 5 2', 'h 5 1', true],
  ['h 5 1', 'h 5 2', false],
  ['h 10 0', 'h 9 7', true],
  ['h 9 7', 'h 10 0', false],
  ['h 9007199254740993 1', 'h 9007199254740992 1', true],
  ['memory 3', 'memory 12', false],
])('%s is beyond %s: %s', (place, other, expected) => {
  expect(isBeyond(place, other)).toBe(expected);
});

test('of two histories each is beyond the other', () => {
  expect([isBeyond('1/1 5 1', '1/2 9 9'), isBeyond('1/2 9 9', '1/1 5 1')]).toEqual([true, true]);
});
