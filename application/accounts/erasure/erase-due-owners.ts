import { ERASURE } from '../../../domain/limits.ts';
import type { Ports } from '../../ports.ts';
import { eraseWritten, removeDueAccount } from './erase-owner.ts';

type ErasurePorts = Pick<Ports, 'transaction' | 'erasures' | 'clock'>;

/**
 * Removes the accounts that are due, and erases what their owners wrote, for `ERASURE.sweep` at most. Several processes may
 * do it at once.
 * @returns when there is more to do; null: when another account is due
 */
export async function eraseDueOwners(ports: ErasurePorts): Promise<Date | null> {
  const { erasures, clock } = ports;
  const until = performance.now() + ERASURE.sweep;
  for (const owner_id of await erasures.due(ERASURE.owners)) {
    if (performance.now() >= until) return clock.now();
    await removeDueAccount(ports, owner_id);
  }
  const states = [];
  for (const owner_id of await erasures.unfinished(ERASURE.owners)) {
    const { state } = await eraseWritten(ports, owner_id, owner_id, until);
    states.push(state);
  }
  if (states.includes('more') || states.length === ERASURE.owners) return clock.now();
  return states.includes('waiting') ? new Date((await clock.now()).getTime() + ERASURE.lookAgain) : null;
}
