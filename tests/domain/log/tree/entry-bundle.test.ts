import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Malformed } from '../../../../domain/log/encoding.ts';
import { entryBundle, leavesOfBundle, partialBundle } from '../../../../domain/log/tree/tile.ts';

describe('an entry bundle', () => {
  const leaves = fc.array(fc.uint8Array({ maxLength: 700 }), { minLength: 1, maxLength: 256 });

  test('returns the leaves that it was made of, and a partial one the first of them', () => {
    const property = fc.property(leaves, (made) => {
      const width = Math.ceil(made.length / 2);
      expect(leavesOfBundle(entryBundle(made)).map((leaf) => [...leaf])).toEqual(made.map((leaf) => [...leaf]));
      expect(partialBundle(entryBundle(made), width)).toEqual(entryBundle(made.slice(0, width)));
    });
    fc.assert(property, { numRuns: 30 });
  });

  test('has lengths in big-endian order', () => {
    const [long] = leavesOfBundle(Uint8Array.of(0x01, 0x02, ...new Uint8Array(0x0102)));
    expect(long).toHaveLength(0x0102);
  });

  test('has leaves of at most 65,535 bytes', () => {
    expect(leavesOfBundle(entryBundle([new Uint8Array(0xffff)]))).toHaveLength(1);
    expect(() => entryBundle([new Uint8Array(0x10000)])).toThrow(Malformed);
  });

  test.each([
    ['no leaf', []],
    ['half of a length', [0]],
    ['a length without its leaf', [0, 1]],
    ['a leaf that is cut off', [0, 0, 0, 3, 1, 2]],
    ['257 leaves', new Array(514).fill(0)],
  ])('of %s is refused', (_, bytes) => {
    expect(() => leavesOfBundle(Uint8Array.from(bytes))).toThrow(Malformed);
  });
});
