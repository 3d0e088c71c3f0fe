import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../application/sha256.ts';
import { ed25519Verify } from '../../clients/typescript/verify/audit.ts';
import { canonicalJson as ownCanonicalJson } from '../../clients/typescript/verify/decisions-line.ts';
import { sha256 as ownSha256 } from '../../clients/typescript/verify/sha256.ts';
import { utf8 } from '../../domain/log/encoding.ts';
import { signText } from '../../domain/log/notes/note.ts';
import { anyText } from '../builders/any-text.ts';
import { LOG } from '../builders/proof-files.ts';

describe('the own primitives of the verifier equal those of the service', () => {
  test('SHA-256', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000]) {
      expect(ownSha256(new Uint8Array(length))).toEqual(Uint8Array.from(sha256(new Uint8Array(length))));
    }
    const parts = fc.array(fc.oneof(anyText(), fc.uint8Array({ maxLength: 200 })), {
      maxLength: 4,
    });
    fc.assert(fc.property(parts, (each) => expect(ownSha256(...each)).toEqual(Uint8Array.from(sha256(...each)))));
  });

  test('canonical JSON', () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    fc.assert(fc.property(value, (each) => expect(ownCanonicalJson(each)).toBe(canonicalJson(each))));
    for (const wrong of ['\ud800', { '\udc00': 1 }, Number.NaN, Number.POSITIVE_INFINITY, undefined]) {
      expect(() => ownCanonicalJson(wrong)).toThrow(TypeError);
    }
  });

  test('Ed25519', async () => {
    const { name, id, signature } = await signText('a\n', LOG);
    expect([name, id]).toEqual([LOG.key.name, LOG.key.id]);
    expect(await ed25519Verify(LOG.key.publicKey, utf8('a\n'), signature)).toBe(true);
    expect(await ed25519Verify(LOG.key.publicKey, utf8('b\n'), signature)).toBe(false);
    expect(await ed25519Verify(LOG.key.publicKey, utf8('a\n'), signature.subarray(1))).toBe(false);
  });
});
