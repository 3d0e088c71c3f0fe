import { expect, test } from '@jest/globals';
import { deviceOf, deviceToken } from '../../../../application/accounts/sign-in/prove-password.ts';

const SECRET = 's'.repeat(32);
const ADA = { owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3', password_hash: 'hash' };

test('a token names its device, also when it is renewed; each new one is another device', () => {
  const token = deviceToken(SECRET, ADA);
  const device = deviceOf(SECRET, ADA, token);
  expect(device).toMatch(/^[\w-]{22}$/);
  expect(deviceOf(SECRET, ADA, deviceToken(SECRET, ADA, device))).toBe(device);
  expect(deviceOf(SECRET, ADA, deviceToken(SECRET, ADA))).not.toBe(device);
});

test('it is void for another account, another password, another secret, and when it is changed', () => {
  const token = deviceToken(SECRET, ADA);
  const [id = '', seal = ''] = token.split('.');
  expect(deviceOf(SECRET, { ...ADA, owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a4' }, token)).toBeNull();
  expect(deviceOf(SECRET, { ...ADA, password_hash: 'another' }, token)).toBeNull();
  expect(deviceOf('t'.repeat(32), ADA, token)).toBeNull();
  const others = ['', '.', id, `${id}.`, `.${seal}`, `${id}A.${seal}`, `${id}.${seal}.`, `${id}.${seal.slice(0, -4)}`];
  for (const other of others) expect([other, deviceOf(SECRET, ADA, other)]).toEqual([other, null]);
});
