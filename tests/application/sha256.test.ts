import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256, sha256Hex } from '../../application/sha256.ts';

const part = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array({ maxLength: 100 }),
  fc.integer({ min: 1_300, max: 4_100 }).map((length) => '€'.repeat(length)),
  fc.integer({ min: 4_000, max: 4_200 }).map((length) => new Uint8Array(length).fill(7)),
);

test('the digest of parts is that of their bytes, one after the other, however many and long they are', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const expected = createHash('sha256');
      for (const each of parts) expected.update(each);
      const digest = expected.digest();
      expect(sha256(...parts).equals(digest)).toBe(true);
      expect(sha256Hex(...parts)).toBe(digest.toString('hex'));
    }),
    { numRuns: 500 },
  );
});
