import { describe, expect, test } from '@jest/globals';
import { ed25519Verify } from '../../../../application/ed25519.ts';
import { sha256 } from '../../../../application/sha256.ts';
import {
  COSIGNATURE,
  checkSignatures,
  cosign,
  ED25519,
  ML_DSA_44,
  noteOf,
  noteText,
  signText,
  verifierKey,
} from '../../../../domain/log/notes/note.ts';
import { aSigner } from '../../../builders/log.ts';

describe('the signatures of a note', () => {
  const [log, other] = [aSigner('log.example'), aSigner('log.example', ED25519, 2)];
  const witness = aSigner('w.example', COSIGNATURE, 3);

  test('by two keys of one name verify each by its own key, and unknown ones are ignored', async () => {
    const note = { text: 'a\n', signatures: [await signText('a\n', log), await signText('a\n', other)] };
    const { valid, invalid } = await checkSignatures(noteOf(noteText(note)), [other.key], ed25519Verify);
    expect([valid.map(({ key }) => key), invalid]).toEqual([[other.key], []]);
  });

  test('of a cosignature hold its time, which is signed with the text', async () => {
    const line = await cosign('a\n', 1_700_000_000, witness);
    const note = { text: 'a\n', signatures: [line] };
    const { valid } = await checkSignatures(note, [witness.key], ed25519Verify);
    expect(valid).toEqual([{ key: witness.key, time: 1_700_000_000, line }]);
    for (const i of [4, 7, 20, 71]) {
      const altered = { ...line, signature: line.signature.map((byte, j) => (i === j ? byte ^ 1 : byte)) };
      const checked = await checkSignatures({ ...note, signatures: [altered] }, [witness.key], ed25519Verify);
      expect(checked).toEqual({ valid: [], invalid: [witness.key] });
    }
  });

  test('never verify by a key of another type', async () => {
    const { publicKey } = log.key;
    const key = verifierKey('log.example', COSIGNATURE, publicKey, sha256);
    const line = { ...(await signText('a\n', log)), id: key.id };
    expect(await checkSignatures({ text: 'a\n', signatures: [line] }, [key], ed25519Verify)).toEqual({
      valid: [],
      invalid: [key],
    });
  });

  test('are those of RFC 8032 and the same each time', async () => {
    expect(await signText('a\n', log)).toEqual(await signText('a\n', log));
    expect((await signText('a\n', log)).signature).toHaveLength(64);
    expect(ed25519Verify(new Uint8Array(31), Uint8Array.of(), new Uint8Array(64))).toBe(false);
  });

  test('of ML-DSA-44 are neither valid nor invalid', async () => {
    const key = verifierKey('w.example', ML_DSA_44, new Uint8Array(1_312), sha256);
    const note = { text: 'a\n', signatures: [{ name: key.name, id: key.id, signature: new Uint8Array(2_428) }] };
    expect(await checkSignatures(note, [key], ed25519Verify)).toEqual({ valid: [], invalid: [] });
  });
});
