import { expect, test } from '@jest/globals';
import { isReached, positionOf, trackPosition } from '../../../../adapters/postgres/kit/replica.ts';

test('a position is read from the text of the server', () => {
  expect(positionOf('0000000A 16/B374D848')).toEqual({ timeline: 10, lsn: 0x16b374d848n });
});

test.each(['', '00000001', '0/16B3748', '00000001 0/16B3748 ', '00000001 x/16B3748'])('%j is no position', (text) => {
  expect(() => positionOf(text)).toThrow(TypeError);
});

test.each([
  ['00000001 0/20', true],
  ['00000001 0/1F', false],
  ['00000001 1/0', true],
  ['00000002 1/0', false],
  [null, false],
])('%s has reached 0/20 of the first timeline: %s', (text, reached) => {
  expect(isReached(text === null ? null : positionOf(text), { timeline: 1, lsn: 0x20n })).toBe(reached);
});

test('the newest position is kept, and a new timeline is newer than all of an old one', () => {
  const { note, newest } = trackPosition();
  expect(newest()).toBeNull();
  for (const text of ['00000001 0/20', '00000001 0/10']) note(text);
  expect(newest()).toEqual({ timeline: 1, lsn: 0x20n });
  for (const text of ['00000002 0/18', '00000001 0/30']) note(text);
  expect(newest()).toEqual({ timeline: 2, lsn: 0x18n });
});
