import { expect, test } from '@jest/globals';
import { utf8 } from '../../../../domain/log/encoding.ts';
import { derBytes, derOf, TAG, timeOf } from '../../../../domain/log/timestamps/der.ts';

test.each([
  ['20240102030405Z', '2024-01-02T03:04:05.000Z'],
  ['20240102030405.5Z', '2024-01-02T03:04:05.500Z'],
  ['20240102030405.057Z', '2024-01-02T03:04:05.057Z'],
  ['20240102030405.123456Z', '2024-01-02T03:04:05.123Z'],
  ['20240102030405.9999999Z', '2024-01-02T03:04:05.999Z'],
  ['20240102225959.9999999Z', '2024-01-02T22:59:59.999Z'],
])('the time %s of a timestamp is %s', (text, at) => {
  expect(new Date(timeOf(derOf(derBytes(TAG.generalizedTime, utf8(text))))).toISOString()).toBe(at);
});
