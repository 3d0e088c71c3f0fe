import { expect, test } from '@jest/globals';
import { oneTimeCodes } from '../../../adapters/identity/factors.ts';
import { SECOND } from '../../../domain/time.ts';
import { codeAt, toBase32 } from '../../harness/one-time-code.ts';

const codes = oneTimeCodes();

/** RFC 6238, appendix B, for SHA-1: the last 6 of 8 digits. */
const VECTORS = [
  [59, '287082', 1],
  [1_111_111_109, '081804', 37_037_036],
  [1_111_111_111, '050471', 37_037_037],
  [1_234_567_890, '005924', 41_152_263],
  [2_000_000_000, '279037', 66_666_666],
] as const;
const RFC_SECRET = toBase32(Buffer.from('12345678901234567890'));

test.each(VECTORS)('the code of RFC 6238 at %i s is %s, of step %i', (seconds, code, step) => {
  const at = new Date(seconds * SECOND);
  expect([codes.stepOf(RFC_SECRET, code, at), codeAt(RFC_SECRET, at)]).toEqual([step, code]);
});

test('codes of the step before and after are accepted, those of two steps away are not', () => {
  const [secret, at] = [codes.newSecret(), new Date('2026-03-02T12:00:00.000Z')];
  const step = at.getTime() / 30_000;
  const stepOf = (away: number) => codes.stepOf(secret, codeAt(secret, new Date(at.getTime() + away * 30_000)), at);
  expect([-2, -1, 0, 1, 2].map(stepOf)).toEqual([null, step - 1, step, step + 1, null]);
});

test('a secret has 160 random bits, and no other one accepts its codes', () => {
  const [secret, other, at] = [codes.newSecret(), codes.newSecret(), new Date('2026-03-02T12:00:00.000Z')];
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(other).not.toBe(secret);
  expect(codes.stepOf(other, codeAt(secret, at), at)).toBeNull();
});

test('the address for apps names the service, the account and the rules', () => {
  const uri = new URL(codes.uri(RFC_SECRET, 'ada@example.com'));
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Stancebook:ada@example.com',
  ]);
  const rules = { issuer: 'Stancebook', secret: RFC_SECRET, algorithm: 'SHA1', digits: '6', period: '30' };
  expect(Object.fromEntries(uri.searchParams)).toEqual(rules);
});
