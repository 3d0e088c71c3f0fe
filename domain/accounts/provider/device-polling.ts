import { DEVICE_FLOW, IDENTITY } from '../../limits.ts';
import { type DeviceSignIn, type DeviceSignInStatus, statusAt } from './device-sign-in.ts';

// The state machine of RFC 8628 section 3.5. The store applies one rule at a time to a sign-in.

/** A sign-in after a rule, and the rule's answer. */
export interface Transition<Answer> {
  readonly signIn: DeviceSignIn;
  readonly answer: Answer;
}

/** Why a poll gets no key; `poll_every` in milliseconds. */
export type PollRefusal =
  | { readonly step: 'wait' | 'slow_down'; readonly poll_every: number }
  | { readonly step: 'over'; readonly status: Closed };

export type PollAnswer = PollRefusal | { readonly step: 'redeem' };

export type Closed = Exclude<DeviceSignInStatus, 'pending' | 'approved'>;

/** This caller alone asks the provider, and then settles what it found. */
export type ExchangeStep = { readonly step: 'exchange'; readonly sealed_code: Uint8Array };

/** What the holder of the lease found; `failed`: nothing, so that the provider can be asked again. */
export type Finding =
  | { readonly outcome: 'pending' | 'slow_down' | 'denied' | 'expired' | 'spent' | 'failed' }
  | { readonly outcome: 'approved'; readonly owner_id: string };

/**
 * Judges a poll. One that comes sooner than `next_poll_at` is slowed down, and one that meets an exchange in flight
 * waits; otherwise it takes the lease under `lease_token`, which must be new.
 */
export function poll(signIn: DeviceSignIn, lease_token: string, now: Date): Transition<PollAnswer | ExchangeStep> {
  if (statusAt(signIn, now) !== 'pending') return unchanged(signIn, now);
  if (now < signIn.next_poll_at) return slowedDown(signIn);
  const spaced = { ...signIn, next_poll_at: later(now, signIn.poll_every) };
  if (isLeased(signIn, now)) return waiting(spaced);
  const lease = { lease_token, lease_until: later(now, DEVICE_FLOW.lease) };
  return { signIn: { ...spaced, ...lease }, answer: { step: 'exchange', sealed_code: signIn.sealed_code } };
}

/**
 * Writes down what an exchange found, and ends its lease. Without the lease it writes nothing: another caller has it.
 */
export function settle(signIn: DeviceSignIn, lease_token: string, found: Finding, now: Date): Transition<PollAnswer> {
  if (signIn.status !== 'pending' || signIn.lease_token !== lease_token) return unchanged(signIn, now);
  const free = { ...signIn, lease_token: null, lease_until: null };
  switch (found.outcome) {
    case 'pending':
    case 'failed':
      return unchanged(free, now);
    case 'slow_down':
      return slowedDown(free);
    case 'approved':
      return unchanged({ ...free, status: 'approved', owner_id: found.owner_id }, now);
    default:
      return unchanged({ ...free, status: found.outcome }, now);
  }
}

function unchanged(signIn: DeviceSignIn, now: Date): Transition<PollAnswer> {
  return statusAt(signIn, now) === 'approved' ? { signIn, answer: { step: 'redeem' } } : refused(signIn, now);
}

/** No key now: the sign-in stays as it is. */
function refused(signIn: DeviceSignIn, now: Date): Transition<PollRefusal> {
  const status = statusAt(signIn, now);
  if (status === 'pending' || status === 'approved') return waiting(signIn);
  return { signIn, answer: { step: 'over', status } };
}

function waiting(signIn: DeviceSignIn): Transition<PollRefusal> {
  return { signIn, answer: { step: 'wait', poll_every: signIn.poll_every } };
}

/**
 * Counts from the last poll that was not slowed down: a caller that waits for the returned interval is not slowed down
 * again.
 */
function slowedDown(signIn: DeviceSignIn): Transition<PollRefusal> {
  const poll_every = Math.min(signIn.poll_every + IDENTITY.slowDown, DEVICE_FLOW.longestInterval);
  const next_poll_at = later(signIn.next_poll_at, poll_every - signIn.poll_every);
  return { signIn: { ...signIn, poll_every, next_poll_at }, answer: { step: 'slow_down', poll_every } };
}

function isLeased({ lease_until }: DeviceSignIn, now: Date): boolean {
  return lease_until !== null && now < lease_until;
}

function later(at: Date, millis: number): Date {
  return new Date(at.getTime() + millis);
}

/** The answer to a redemption; `redeemed_at` and `expires_at` by the database's clock. */
type RedeemAnswer =
  | PollRefusal
  | { readonly step: 'redeemed'; readonly owner_id: string; readonly redeemed_at: Date; readonly expires_at: Date };

/**
 * Redeems a sign-in that was approved and has not ended. A device code is redeemed at most once: of all calls, at any
 * time, one returns `redeemed` (settled.md section 8).
 */
export function redeem(signIn: DeviceSignIn, now: Date): Transition<RedeemAnswer> {
  const { owner_id, expires_at } = signIn;
  if (statusAt(signIn, now) !== 'approved' || owner_id === null) return refused(signIn, now);
  const answer = { step: 'redeemed', owner_id, redeemed_at: now, expires_at } as const;
  return { signIn: { ...signIn, status: 'consumed' }, answer };
}
