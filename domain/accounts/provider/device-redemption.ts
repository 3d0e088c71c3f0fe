import { type PollRefusal, refused, type Transition } from './device-polling.ts';
import { type DeviceSignIn, statusAt } from './device-sign-in.ts';

/** The answer to a redemption; `redeemed_at` and `expires_at` by the database's clock. */
export type RedeemAnswer =
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
