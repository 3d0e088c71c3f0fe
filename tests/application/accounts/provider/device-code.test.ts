import { expect, test } from '@jest/globals';
import {
  hashOfDeviceCode,
  makeDeviceCode,
  openCode,
  sealCode,
} from '../../../../application/accounts/provider/device-code.ts';
import { DEVICE_CODE } from '../../../../domain/accounts/device-sign-in.ts';

const CODE = makeDeviceCode();
const PROVIDERS = 'the provider’s own code';

test('a device code is 256 bits that never come twice, and its hash tells nothing of it', () => {
  expect(CODE).toMatch(DEVICE_CODE);
  expect(new Set(Array.from({ length: 100 }, makeDeviceCode)).size).toBe(100);
  expect(hashOfDeviceCode(CODE)).toHaveLength(32);
  expect(Buffer.from(hashOfDeviceCode(CODE)).toString('base64url')).not.toBe(CODE);
});

test('what is sealed under a code opens under it, and under no other', () => {
  const sealed = sealCode(CODE, PROVIDERS);
  expect(openCode(CODE, sealed)).toBe(PROVIDERS);
  expect(() => openCode(makeDeviceCode(), sealed)).toThrow();
});

test('neither code is in what is kept, which is new each time', () => {
  const kept = Buffer.from(sealCode(CODE, PROVIDERS));
  for (const secret of [PROVIDERS, CODE, Buffer.from(CODE, 'base64url')]) expect(kept.includes(secret)).toBe(false);
  expect(kept.equals(sealCode(CODE, PROVIDERS))).toBe(false);
});

test('the hash that is kept beside it opens nothing', () => {
  const hash = Buffer.from(hashOfDeviceCode(CODE)).toString('base64url');
  expect(() => openCode(hash, sealCode(CODE, PROVIDERS))).toThrow();
});

test('a single changed bit anywhere is noticed, and so is a cut', () => {
  const sealed = sealCode(CODE, 'c');
  for (const [at, byte] of sealed.entries()) {
    const changed = Uint8Array.from(sealed);
    changed[at] = byte ^ 1;
    expect(() => openCode(CODE, changed)).toThrow();
  }
  for (let length = 0; length < sealed.length; length += 1) {
    expect(() => openCode(CODE, sealed.subarray(0, length))).toThrow();
  }
});
