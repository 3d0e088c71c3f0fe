import { expect, test } from '@jest/globals';
import {
  hashOfDeviceCode,
  makeDeviceCode,
  openCode,
  sealCode,
} from '../../../../application/accounts/provider/device-sign-in.ts';
import { DEVICE_CODE } from '../../../../domain/accounts/provider/device-sign-in.ts';

const CODE = makeDeviceCode();
const PROVIDERS = 'the provider’s own code';

test('a device code is 256 random bits, and its hash does not reveal it', () => {
  expect(CODE).toMatch(DEVICE_CODE);
  expect(new Set(Array.from({ length: 100 }, makeDeviceCode)).size).toBe(100);
  expect(hashOfDeviceCode(CODE)).toHaveLength(32);
  expect(Buffer.from(hashOfDeviceCode(CODE)).toString('base64url')).not.toBe(CODE);
});

test('a sealed code opens under its own device code, and under no other', () => {
  const sealed = sealCode(CODE, PROVIDERS);
  expect(openCode(CODE, sealed)).toBe(PROVIDERS);
  expect(() => openCode(makeDeviceCode(), sealed)).toThrow();
});

test('the sealed text contains neither code, and differs each time', () => {
  const sealed = Buffer.from(sealCode(CODE, PROVIDERS));
  for (const secret of [PROVIDERS, CODE, Buffer.from(CODE, 'base64url')]) expect(sealed.includes(secret)).toBe(false);
  expect(sealed.equals(sealCode(CODE, PROVIDERS))).toBe(false);
});

test('the stored hash opens nothing', () => {
  const hash = Buffer.from(hashOfDeviceCode(CODE)).toString('base64url');
  expect(() => openCode(hash, sealCode(CODE, PROVIDERS))).toThrow();
});

test('a single changed bit anywhere is detected, and so is a cut', () => {
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
