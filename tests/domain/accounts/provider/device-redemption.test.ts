import { expect, test } from '@jest/globals';
import { poll, redeem } from '../../../../domain/accounts/provider/device-polling.ts';
import { MINUTE, SECOND } from '../../../../domain/time.ts';
import { aDeviceSignIn } from '../../../builders/accounts.ts';

const START = new Date('2026-03-02T12:00:00.000Z');
const at = (millis: number) => new Date(START.getTime() + millis);
const OWNER = '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3';
const CODES = { code_hash: new Uint8Array(32).fill(1), sealed_code: new Uint8Array(64).fill(2) };
const approved = () => aDeviceSignIn(START, { ...CODES, status: 'approved', owner_id: OWNER });

test('an approved sign-in is redeemed without asking the provider again, once', () => {
  expect(poll(approved(), 'mine', START)).toEqual({ signIn: approved(), answer: { step: 'redeem' } });
  const { signIn, answer } = redeem(approved(), at(SECOND));
  const expires_at = at(10 * MINUTE);
  expect(answer).toEqual({ step: 'redeemed', owner_id: OWNER, redeemed_at: at(SECOND), expires_at });
  expect(signIn.status).toBe('consumed');
  for (const again of [redeem(signIn, at(SECOND)), poll(signIn, 'mine', at(SECOND))]) {
    expect(again).toEqual({ signIn, answer: { step: 'over', status: 'consumed' } });
  }
});

test('nothing is redeemed before it was approved', () => {
  expect(redeem(aDeviceSignIn(START, CODES), START).answer.step).toBe('wait');
});
