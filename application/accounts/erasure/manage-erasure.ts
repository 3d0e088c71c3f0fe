import { ownerGone } from '../../../domain/accounts/owner.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import type { ConfirmLogin } from '../sign-in/recent-login.ts';

/** When an account will be erased; null for one that stays. */
export interface ScheduledErasure {
  readonly requested_at: Date | null;
  readonly erases_at: Date | null;
}

/**
 * Schedules the erasure of the caller's account, after a recent login. Its keys stop at once; sessions go on, so that the
 * owner can export or take it back. What is scheduled stays as it is.
 * @throws Problem REAUTHENTICATION_REQUIRED, UNAUTHORIZED for an owner who is gone
 */
export async function scheduleErasure(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  confirmLogin: ConfirmLogin,
  source: ActionSource,
): Promise<ScheduledErasure> {
  return transaction(async (stores) => {
    await confirmLogin(stores);
    const before = await stores.owners.find(owner_id);
    const erases_at = await stores.erasures.schedule(owner_id);
    if (erases_at === null) throw ownerGone();
    if (before?.erases_at === null)
      await stores.securityEvents.append(eventOf('erasure_scheduled', 'success', owner_id, source));
    return scheduled(erases_at);
  });
}

/** What is scheduled for the caller's account. */
export async function readErasure({ owners }: Pick<Ports, 'owners'>, owner_id: string): Promise<ScheduledErasure> {
  const owner = await owners.find(owner_id);
  if (owner === null) throw ownerGone();
  return scheduled(owner.erases_at);
}

/**
 * Takes the erasure of the caller's account back; returns the prefixes of the keys that work again.
 * @throws Problem NOT_FOUND when none is scheduled
 */
export async function takeBackErasure(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  source: ActionSource,
): Promise<readonly string[]> {
  return transaction(async ({ erasures, securityEvents }) => {
    const keys = await erasures.takeBack(owner_id);
    if (keys === null) {
      const suggestion = 'There is nothing to do: the account stays.';
      throw new Problem('NOT_FOUND', 'No erasure of this account is scheduled.', { suggestion });
    }
    await securityEvents.append(eventOf('erasure_taken_back', 'success', owner_id, source));
    return keys;
  });
}

function scheduled(erases_at: Date | null): ScheduledErasure {
  return { requested_at: erases_at && new Date(erases_at.getTime() - ERASURE.grace), erases_at };
}
