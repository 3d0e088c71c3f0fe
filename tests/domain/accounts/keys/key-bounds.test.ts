import { describe, expect, test } from '@jest/globals';
import {
  expiryFault,
  isExpiringSoon,
  keyBar,
  renewedExpiry,
  UNBOUNDED,
} from '../../../../domain/accounts/keys/api-key.ts';
import { DAY } from '../../../../domain/time.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const plus = (millis: number) => new Date(NOW.getTime() + millis);

test('a key expires at the millisecond that its owner set', () => {
  const bounds = { ...UNBOUNDED, expires_at: NOW };
  expect([plus(-1), NOW, plus(1)].map((at) => keyBar(bounds, at, null))).toEqual([null, 'expired', 'expired']);
  expect(keyBar(UNBOUNDED, plus(1_000 * DAY), null)).toBeNull();
});

test.each([
  ['192.0.2.7', null],
  ['192.0.3.7', 'network'],
  ['2001:db8::7', null],
  ['2001:db9::7', 'network'],
  [null, 'network'],
] as const)('a key of two networks, used from %s', (from, bar) => {
  const bounds = { ...UNBOUNDED, allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] };
  expect(keyBar(bounds, NOW, from)).toBe(bar);
  expect(keyBar({ ...bounds, expires_at: NOW }, NOW, from)).toBe('expired');
});

test.each([
  ['now', 0, false],
  ['in a millisecond', 1, true],
  ['in 366 days', 366 * DAY, true],
  ['a millisecond later', 366 * DAY + 1, false],
])('an expiry %s', (_, life, isAllowed) => {
  const message = 'must lie in the future, at most 366 days ahead';
  expect(expiryFault(plus(life), NOW)).toEqual(
    isAllowed ? null : { path: 'expires_at', message, received: plus(life) },
  );
});

test('a successor lives as long as its predecessor was to live', () => {
  const key = { ...UNBOUNDED, created_at: NOW, expires_at: plus(30 * DAY) };
  expect(renewedExpiry(key, plus(40 * DAY))).toEqual(plus(70 * DAY));
  expect(renewedExpiry({ ...key, expires_at: null }, plus(40 * DAY))).toBeNull();
});

describe('a notice of the expiry', () => {
  test.each([
    ['of a key that never expires', null, false],
    ['more than 14 days before', plus(14 * DAY + 1), false],
    ['14 days before', plus(14 * DAY), true],
    ['in the last moment', plus(1), true],
    ['when it has expired', NOW, false],
  ])('%s', (_, expires_at, isShown) => {
    expect(isExpiringSoon({ ...UNBOUNDED, expires_at }, NOW)).toBe(isShown);
  });
});
