import { describe, expect, test } from '@jest/globals';
import { ed25519Verify } from '../../../../application/ed25519.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { Malformed } from '../../../../domain/log/encoding.ts';
import {
  COSIGNATURE,
  checkSignatures,
  ED25519,
  ML_DSA_44,
  MOST_SIGNATURES,
  noteOf,
  noteText,
  verifierKey,
  verifierKeyOf,
  vkeyText,
} from '../../../../domain/log/notes/note.ts';

/** The example of signed-note, "Verifier keys". */
const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const NOTE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;
/** The example of the Go package sumdb/note. */
const NEUMANN = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const NEUMANN_NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

describe('a verifier key', () => {
  test.each([VKEY, NEUMANN])('%s is read and written', (vkey) => {
    expect(vkeyText(verifierKeyOf(vkey, sha256))).toBe(vkey);
  });

  test('has another ID for each signature type', () => {
    const { publicKey } = verifierKeyOf(VKEY, sha256);
    expect(verifierKey('example.com/foo', ED25519, publicKey, sha256).id).toBe('530d903a');
    expect(verifierKey('example.com/foo', COSIGNATURE, publicKey, sha256).id).not.toBe('530d903a');
  });

  test('of ML-DSA-44 is read, so that a policy can name it', () => {
    const key = verifierKey('w', ML_DSA_44, new Uint8Array(1_312), sha256);
    expect(verifierKeyOf(vkeyText(key), sha256)).toEqual(key);
  });

  test.each([
    ['another name', VKEY.replace('foo', 'bar')],
    ['another ID', VKEY.replace('530d903a', '530d903b')],
    ['an ID in upper case', VKEY.replace('530d903a', '530D903A')],
    ['a space', VKEY.replace('example', 'exa mple')],
    ['no name', VKEY.replace('example.com/foo', '')],
    ['a shorter key', 'example.com/foo+530d903a+Aeky'],
    [
      'base64 that is not the one form of its bytes',
      'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2l=',
    ],
    ['two parts', 'example.com/foo+530d903a'],
    ['nothing', ''],
  ])('with %s is refused', (_, vkey) => {
    expect(() => verifierKeyOf(vkey, sha256)).toThrow(Malformed);
  });
});

describe('a note', () => {
  test.each([
    ['signed-note', NOTE, VKEY],
    ['sumdb/note', NEUMANN_NOTE, NEUMANN],
  ])('of the example of %s is read, written and verified', async (_, sent, vkey) => {
    const key = verifierKeyOf(vkey, sha256);
    const note = noteOf(sent);
    expect(noteText(note)).toBe(sent);
    const { valid, invalid } = await checkSignatures(note, [key], ed25519Verify);
    expect([valid.map((each) => each.key), invalid]).toEqual([[key], []]);
    const other = noteOf(sent.replace(/\.\n/, '!\n'));
    expect(await checkSignatures(other, [key], ed25519Verify)).toEqual({ valid: [], invalid: [key] });
  });

  test('is separated from its signatures by its last empty line', () => {
    expect(noteOf(`a\n\nb\n\n${NOTE.slice(NOTE.indexOf('—'))}`).text).toBe('a\n\nb\n');
  });

  const line = NOTE.slice(NOTE.indexOf('—'));
  test.each([
    ['no empty line', `a\n${line}`],
    ['no signature', 'a\n\n'],
    ['no final newline', NOTE.slice(0, -1)],
    ['a control character', `a\tb\n\n${line}`],
    ['a carriage return', `a\r\n\n${line}`],
    ['half of a surrogate pair', `\ud800\n\n${line}`],
    ['a hyphen for the dash', NOTE.replace('—', '-')],
    ['a name with a plus', NOTE.replace('example.com', 'example+com')],
    ['a name with a space of Unicode', NOTE.replace('example.com', 'example\u2003com')],
    ['two spaces', NOTE.replace('foo ', 'foo  ')],
    ['a signature of no byte', 'a\n\n— n AAAAAA==\n'],
    ['base64 without its padding', 'a\n\n— n AAAAAAA\n'],
    ['base64 with other last bits', 'a\n\n— n AAAAAAB=\n'],
    ['too many signatures', `a\n\n${line.repeat(MOST_SIGNATURES + 1)}`],
  ])('with %s is refused', (_, sent) => {
    expect(() => noteOf(sent)).toThrow(Malformed);
  });
});

test('a note of millions of characters is read or refused, and exhausts nothing', () => {
  const long = 'A'.repeat(12_000_000);
  expect(noteOf(`a\n\n— ${long} AAAAAAA=\n`).signatures).toHaveLength(1);
  expect(() => noteOf(`a\n\n— n ${long}A\n`)).toThrow(Malformed);
});
