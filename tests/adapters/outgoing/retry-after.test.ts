import { expect, test } from '@jest/globals';
import { retryAfterSeconds } from '../../../adapters/outgoing/http-webhook-sender.ts';

const now = Date.parse('2026-11-24T03:00:00.500Z');

test.each([
  ['120', 120],
  ['0', 0],
  [' 5 ', 5],
  ['9999999999', 9_999_999_999],
  ['Tue, 24 Nov 2026 03:01:00 GMT', 60],
  ['Tue, 24 Nov 2026 02:00:00 GMT', 0],
  ['Wed, 25 Nov 2026 03:00:00 GMT', 86_400],
])('%j is %d seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, now)).toBe(seconds);
});

test.each([
  undefined,
  '',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '12345678901',
  'soon',
  '2026-11-24T03:01:00Z',
  'Tue, 24 Nov 2026 03:01:00 +0100',
  'Tue, 99 Nov 2026 03:01:00 GMT',
])('%j names no time', (header) => {
  expect(retryAfterSeconds(header, now)).toBeNull();
});
