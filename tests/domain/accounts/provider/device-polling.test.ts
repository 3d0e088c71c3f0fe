import { expect, test } from '@jest/globals';
import { type Finding, poll, redeem, settle } from '../../../../domain/accounts/provider/device-polling.ts';
import {
  type DeviceSignIn,
  isForgotten,
  newDeviceSignIn,
} from '../../../../domain/accounts/provider/device-sign-in.ts';
import { DEVICE_FLOW } from '../../../../domain/limits.ts';
import { HOUR, MINUTE, SECOND } from '../../../../domain/time.ts';
import { aDeviceSignIn } from '../../../builders/accounts.ts';

const START = new Date('2026-03-02T12:00:00.000Z');
const at = (millis: number) => new Date(START.getTime() + millis);
const OWNER = '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3';
const CODES = { code_hash: new Uint8Array(32).fill(1), sealed_code: new Uint8Array(64).fill(2) };
const aSignIn = (changes: Partial<DeviceSignIn> = {}) => aDeviceSignIn(START, { ...CODES, ...changes });
const approved = () => aSignIn({ status: 'approved', owner_id: OWNER });

/** A sign-in whose lease was taken at the start, by `mine`. */
const leased = () => poll(aSignIn(), 'mine', START).signIn;

test('the provider sets interval and lifetime, within bounds', () => {
  const made = (interval: number | null, expires_in: number) => newDeviceSignIn(CODES, { interval, expires_in }, START);
  expect(made(7 * SECOND, 30 * MINUTE)).toMatchObject({ poll_every: 7 * SECOND, expires_at: at(30 * MINUTE) });
  expect(made(null, 2 * HOUR)).toMatchObject({ poll_every: 5 * SECOND, expires_at: at(HOUR) });
  expect(made(HOUR, HOUR)).toMatchObject({ poll_every: MINUTE, status: 'pending', lease_token: null });
});

test('the first poll may come at once, and takes the lease', () => {
  const signIn = aSignIn();
  const taken = poll(signIn, 'mine', START);
  expect(taken.answer).toEqual({ step: 'exchange', sealed_code: signIn.sealed_code });
  const lease_until = at(DEVICE_FLOW.lease);
  expect(taken.signIn).toEqual({ ...signIn, lease_token: 'mine', lease_until, next_poll_at: at(5 * SECOND) });
});

test('a poll before the interval is over is slowed down by five seconds, and so are the next ones', () => {
  const slowed = poll(leased(), 'other', at(5 * SECOND - 1));
  expect(slowed.answer).toEqual({ step: 'slow_down', poll_every: 10 * SECOND });
  expect(slowed.signIn).toEqual({ ...leased(), poll_every: 10 * SECOND, next_poll_at: at(10 * SECOND) });
  const free = settle(slowed.signIn, 'mine', { outcome: 'pending' }, at(SECOND)).signIn;
  expect(poll(free, 'other', at(10 * SECOND - 1)).answer.step).toBe('slow_down');
  const next = poll(free, 'other', at(10 * SECOND));
  expect([next.answer.step, next.signIn.next_poll_at]).toEqual(['exchange', at(20 * SECOND)]);
});

test('a caller that waits for the interval of SLOW_DOWN gets through', () => {
  for (let hurry = 1; hurry < 5 * SECOND; hurry += 499) {
    const slowed = poll(leased(), 'other', at(hurry));
    const free = settle(slowed.signIn, 'mine', { outcome: 'pending' }, at(hurry)).signIn;
    expect(poll(free, 'other', at(hurry + 10 * SECOND)).answer.step).toBe('exchange');
  }
});

test('a caller that polls without pause gets through once a minute', () => {
  let signIn = aSignIn();
  let exchanges = 0;
  for (let millis = 0; millis < 5 * MINUTE; millis += SECOND) {
    const { answer, signIn: after } = poll(signIn, 'mine', at(millis));
    if (answer.step === 'exchange') exchanges += 1;
    signIn = settle(after, 'mine', { outcome: 'pending' }, at(millis)).signIn;
  }
  expect([signIn.poll_every, exchanges]).toEqual([MINUTE, 5]);
});

test('while an exchange is in flight others wait, until its lease ends', () => {
  expect(poll(leased(), 'other', at(5 * SECOND)).answer).toEqual({ step: 'wait', poll_every: 5 * SECOND });
  expect(poll(leased(), 'other', at(DEVICE_FLOW.lease - 1)).answer.step).toBe('wait');
  expect(poll(leased(), 'other', at(DEVICE_FLOW.lease)).answer.step).toBe('exchange');
});

test.each([
  [{ outcome: 'pending' }, 'pending', { step: 'wait', poll_every: 5 * SECOND }],
  [{ outcome: 'failed' }, 'pending', { step: 'wait', poll_every: 5 * SECOND }],
  [{ outcome: 'slow_down' }, 'pending', { step: 'slow_down', poll_every: 10 * SECOND }],
  [{ outcome: 'denied' }, 'denied', { step: 'over', status: 'denied' }],
  [{ outcome: 'expired' }, 'expired', { step: 'over', status: 'expired' }],
  [{ outcome: 'spent' }, 'spent', { step: 'over', status: 'spent' }],
  [{ outcome: 'approved', owner_id: OWNER }, 'approved', { step: 'redeem' }],
] as const)('what an exchange found is written down and ends the lease: %j', (found, status, answer) => {
  const settled = settle(leased(), 'mine', found, at(SECOND));
  expect(settled.answer).toEqual(answer);
  expect(settled.signIn).toMatchObject({ status, lease_token: null, lease_until: null });
});

test('the provider’s SLOW_DOWN puts the next poll off', () => {
  const { signIn } = settle(leased(), 'mine', { outcome: 'slow_down' }, at(SECOND));
  expect(signIn.next_poll_at).toEqual(at(10 * SECOND));
});

test('a caller that has lost the lease writes nothing', () => {
  const taken = poll(leased(), 'other', at(DEVICE_FLOW.lease)).signIn;
  const late: Finding = { outcome: 'approved', owner_id: OWNER };
  const settled = settle(taken, 'mine', late, at(DEVICE_FLOW.lease + 1));
  expect(settled).toEqual({ signIn: taken, answer: { step: 'wait', poll_every: 5 * SECOND } });
});

test('a closed sign-in never changes, whatever is polled and found', () => {
  for (const status of ['denied', 'expired', 'spent'] as const) {
    const closed = aSignIn({ status });
    const answer = { step: 'over', status };
    expect(poll(closed, 'mine', START)).toEqual({ signIn: closed, answer });
    expect(settle(closed, 'mine', { outcome: 'approved', owner_id: OWNER }, START)).toEqual({ signIn: closed, answer });
    expect(redeem(closed, START)).toEqual({ signIn: closed, answer });
  }
});

test('at its end a sign-in expires, pending, in exchange or approved', () => {
  const over = { step: 'over', status: 'expired' };
  const [last, end] = [at(10 * MINUTE - 1), at(10 * MINUTE)];
  expect(poll(aSignIn(), 'mine', last).answer.step).toBe('exchange');
  expect(poll(aSignIn(), 'mine', end).answer).toEqual(over);
  expect(poll(approved(), 'mine', end).answer).toEqual(over);
  expect(redeem(approved(), last).answer.step).toBe('redeemed');
  expect(redeem(approved(), end).answer).toEqual(over);
  const inExchange = poll(aSignIn(), 'mine', last).signIn;
  expect(settle(inExchange, 'mine', { outcome: 'approved', owner_id: OWNER }, end).answer).toEqual(over);
  expect(redeem(settle(inExchange, 'mine', { outcome: 'approved', owner_id: OWNER }, end).signIn, end).answer).toEqual(
    over,
  );
});

test('polls report for an hour how the sign-in ended', () => {
  const closed = aSignIn({ status: 'consumed', owner_id: OWNER });
  expect(poll(closed, 'mine', at(10 * MINUTE + HOUR)).answer).toEqual({ step: 'over', status: 'consumed' });
  expect([isForgotten(closed, at(10 * MINUTE + HOUR - 1)), isForgotten(closed, at(10 * MINUTE + HOUR))]).toEqual([
    false,
    true,
  ]);
});
