import { eventOf, operatorEvent } from '../../../domain/accounts/security-event.ts';
import { ERASURE } from '../../../domain/limits.ts';
import type { Ports, Stores } from '../../ports.ts';
import { hashOfAccount } from '../sign-in/prove-password.ts';

type TransactionPort = Pick<Ports, 'transaction'>;

/** How far an erasure is: `waiting` for records that are being evaluated or changed, `more` at the end of the time given. */
export interface ErasureProgress {
  readonly state: 'more' | 'waiting' | 'ended';
  /** How many records this call erased. */
  readonly written: number;
}

/**
 * Erases what a removed owner wrote, step by step, each a transaction of its own; a process that is killed leaves the
 * rest to the next call, and several may share the work. The last step adds an entry to the audit log and a security event, which name
 * nothing but the owner's id.
 * @param actor who does it, for the audit log
 * @param until no step begins after that, by `performance.now()`
 */
export async function eraseWritten(
  { transaction }: TransactionPort,
  owner_id: string,
  actor: string,
  until = Number.POSITIVE_INFINITY,
): Promise<ErasureProgress> {
  let written = 0;
  while (performance.now() < until) {
    const traces = await transaction(({ erasures }) => erasures.eraseTraces(owner_id, ERASURE.rows));
    if (traces > 0) continue;
    const step = await transaction((stores) => eraseRecords(stores, owner_id, actor));
    written += step.written;
    if (step.state === 'waiting') return { state: 'waiting', written };
    if (step.state !== 'more') return { state: 'ended', written };
  }
  return { state: 'more', written };
}

async function eraseRecords({ erasures, audit, securityEvents }: Stores, owner_id: string, actor: string) {
  const step = await erasures.eraseRecords(owner_id, ERASURE.step);
  if (step.state === 'ended') {
    await securityEvents.append(eventOf('records_erased', 'success', owner_id, BY_SERVICE));
    await audit.append({ actor, action: 'erase_records', subject: owner_id, detail: {} });
  }
  return step;
}

/**
 * Removes an account whose erasure is due, with an entry in the audit log and a security event; false when it is not due
 * any more.
 */
export async function removeDueAccount({ transaction }: TransactionPort, owner_id: string): Promise<boolean> {
  while ((await transaction(({ erasures }) => erasures.clear(owner_id, ERASURE.rows))) > 0);
  return transaction(async ({ owners, erasures, logins, securityEvents, audit }) => {
    const owner = await owners.find(owner_id);
    const removed = await erasures.remove(owner_id);
    if (removed === null) return false;
    if (owner?.email) await logins.forget(hashOfAccount(owner.email));
    await noteRemoved({ securityEvents, audit }, owner_id, null, { ...removed });
    return true;
  });
}

/** @param operator null: the owner asked for it */
export async function noteRemoved(
  { securityEvents, audit }: Pick<Stores, 'securityEvents' | 'audit'>,
  owner_id: string,
  operator: string | null,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  await securityEvents.append(
    operator === null
      ? eventOf('account_deleted', 'success', owner_id, BY_SERVICE)
      : operatorEvent('account_deleted', owner_id, operator),
  );
  await audit.append({ actor: operator ?? owner_id, action: 'delete_owner', subject: owner_id, detail });
}

/** Of what the service does at its time. */
const BY_SERVICE = { request_id: null, network: null, client: 'other' } as const;

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
