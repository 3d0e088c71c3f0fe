import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeApiKey, parseApiKey } from '../../../../domain/accounts/keys/api-key.ts';

test('a new key has the form of the contract and parses to its own prefix', () => {
  const { key, key_prefix } = makeApiKey(randomBytes);
  expect(key).toMatch(/^sbk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
  expect(key.startsWith(`${key_prefix}_`)).toBe(true);
  expect(parseApiKey(key)).toEqual({ key, key_prefix });
});

test('the checksum is the CRC-32 of everything before it, in base62', () => {
  const { key } = makeApiKey(randomBytes);
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const sum = [...key.slice(-6)].reduce((value, digit) => value * 62 + digits.indexOf(digit), 0);
  expect(sum).toBe(crc32(key.slice(0, -6)));
});

test('a key with one wrong character is invalid', () => {
  const { key } = makeApiKey(randomBytes);
  const position = fc.integer({ min: 0, max: key.length - 1 });
  const character = fc.constantFrom(...'09AZaz_-');
  fc.assert(
    fc.property(position, character, (at, other) => {
      fc.pre(key[at] !== other);
      expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
    }),
  );
});

test('a key with two neighbouring characters swapped is invalid', () => {
  const { key } = makeApiKey(randomBytes);
  for (let at = 0; at < key.length - 1; at += 1) {
    const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
    if (swapped !== key) expect(parseApiKey(swapped)).toBeNull();
  }
});

test('hostile text is not a key', () => {
  const { key } = makeApiKey(randomBytes);
  for (const text of [
    '',
    'sbk_',
    ` ${key}`,
    `${key} `,
    `${key}\n`,
    `${key}\0`,
    key.slice(1),
    key + key,
    '😀'.repeat(51),
  ]) {
    expect(parseApiKey(text)).toBeNull();
  }
  fc.assert(fc.property(fc.string(), (text) => expect(parseApiKey(text)).toBeNull()));
});

test('bytes that would favour some digits are dropped', () => {
  const offered = [...new Uint8Array(8).fill(255), ...new Uint8Array(8).fill(248), ...new Uint8Array(64).fill(247)];
  const { key } = makeApiKey((bytes) => Uint8Array.from(offered.splice(0, bytes)));
  expect(key.slice(0, 12)).toBe('sbk_zzzzzzzz');
});

test('every digit is equally likely', () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 4_000; round += 1) {
    for (const digit of makeApiKey(randomBytes).key.slice(13, 45)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  }
  const expected = (4_000 * 32) / 62;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(62);
  // 61 degrees of freedom: exceeded once in 10^9 runs.
  expect(chiSquare).toBeLessThan(145);
});
