import { type FactorReset, hasFactor, type ResetEvidence } from '../../../domain/accounts/factors/factor.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { type ActionSource, COMMAND_LINE, eventOf, operatorEvent } from '../../../domain/accounts/security-event.ts';
import { FACTOR } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { rfc3339 } from '../../../domain/time.ts';
import type { Ports, Stores } from '../../ports.ts';
import { ownerNamed } from '../operators/list-accounts.ts';

interface RequestedReset {
  readonly owner: Owner;
  readonly due_at: Date;
}

/**
 * Requests the removal of all second factors of an owner who has lost them. It is done after `FACTOR.resetWait` by a sweep, and
 * no operator can do it earlier; until then the factors work, and the owner gets a mail and can stop it.
 * @param named an owner_id, or the email of a password account
 * @param evidence how the operator has identified the person
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND, also for an owner without a factor, ACCOUNT_SUSPENDED, because its owner could not stop it,
 * VERSION_CONFLICT when one is requested already
 */
export function requestFactorReset(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  evidence: ResetEvidence,
  actor: string,
): Promise<RequestedReset> {
  return transaction(async ({ owners, factors, securityEvents, audit }) => {
    const owner = await ownerNamed({ owners }, named);
    const { owner_id, suspended_at } = owner;
    if (suspended_at !== null) throw new Problem('ACCOUNT_SUSPENDED', 'The account is suspended: resume it first.');
    const has = hasFactor(await factors.of(owner_id)) || (await factors.recoveryCodes(owner_id)) > 0;
    if (!has) throw new Problem('NOT_FOUND', 'This account has no second factor.');
    const reset = await factors.requestReset({ owner_id, evidence, actor }, FACTOR.resetWait);
    if (reset === null) throw requestedAlready(await factors.requestedReset(owner_id));
    const { due_at } = reset;
    await securityEvents.append({ ...operatorEvent('factors_reset_requested', owner_id, actor), subject: evidence });
    const detail = { evidence, due_at: due_at.toISOString() };
    await audit.append({ actor, action: 'request_factor_reset', subject: owner_id, detail });
    return { owner, due_at };
  });
}

function requestedAlready(before: FactorReset | null): Problem {
  const due = before === null ? '' : ` They are removed at ${rfc3339(before.due_at)}.`;
  return new Problem('VERSION_CONFLICT', `The removal of the factors of this account is requested already.${due}`, {
    suggestion: 'Wait until then; `reset-factors OWNER --cancel` takes it back.',
  });
}

/**
 * Takes the request for an owner back, as an operator.
 * @throws Problem NOT_FOUND, also without a request
 */
export function withdrawFactorReset(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  actor: string,
): Promise<Owner> {
  return transaction(async (stores) => {
    const owner = await ownerNamed(stores, named);
    if (!(await stopFactorReset(stores, owner.owner_id, 'operator', COMMAND_LINE, actor))) throw nothingRequested();
    return owner;
  });
}

/**
 * Takes the request for the caller back: a caller with a session can show that the factors are not lost.
 * @throws Problem NOT_FOUND without a request
 */
export function cancelFactorReset(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  source: ActionSource,
): Promise<void> {
  return transaction(async (stores) => {
    if (!(await stopFactorReset(stores, owner_id, 'owner', source))) throw nothingRequested();
  });
}

function nothingRequested(): Problem {
  return new Problem('NOT_FOUND', 'No removal of the second factors of this account is requested.', {
    suggestion: 'There is nothing to do: the factors stay.',
  });
}

/**
 * Stops a request where there is one, with its entries; false without one.
 * @param by `login`: somebody logged in with a factor, or added one, so that they are not lost
 * @param operator who does it, for the audit log; null: the owner
 */
export async function stopFactorReset(
  { factors, securityEvents, audit }: Pick<Stores, 'factors' | 'securityEvents' | 'audit'>,
  owner_id: string,
  by: 'owner' | 'login' | 'operator',
  source: ActionSource,
  operator: string | null = null,
): Promise<boolean> {
  if (!(await factors.cancelReset(owner_id))) return false;
  const event = { ...eventOf('factors_reset_cancelled', 'success', owner_id, source), actor: operator, subject: by };
  await securityEvents.append(event);
  await audit.append({ actor: operator ?? owner_id, action: 'cancel_factor_reset', subject: owner_id, detail: { by } });
  return true;
}

/** How many requests a run of the sweep does at most; the next run, within the minute, does the others. */
const AT_ONCE = 100;

/**
 * Removes all second factors and recovery codes of the owners whose request is due, and ends their sessions: the next login
 * needs the password alone. Several processes may do it at once.
 */
export async function resetDueFactors({ factors, transaction }: Pick<Ports, 'factors' | 'transaction'>): Promise<void> {
  for (const { owner_id } of await factors.dueResets(AT_ONCE)) {
    await transaction(async (stores) => {
      await stores.factors.lock(owner_id);
      const taken = await stores.factors.takeDueReset(owner_id);
      if (taken) await removeFactors(stores, taken);
    });
  }
}

async function removeFactors(
  { factors, sessions, securityEvents, audit }: Stores,
  { owner_id, evidence, actor, requested_at }: FactorReset,
): Promise<void> {
  const had = await factors.reset(owner_id);
  const sessions_ended = had ? await sessions.destroyOf(owner_id, null) : 0;
  const event = { ...eventOf('factors_reset', 'success', owner_id, BY_SERVICE), actor, subject: evidence };
  await securityEvents.append(event);
  const detail = { sessions_ended, evidence, requested_at: requested_at.toISOString() };
  await audit.append({ actor, action: 'reset_factors', subject: owner_id, detail });
}

/** Of what the service does at its time. */
const BY_SERVICE: ActionSource = { request_id: null, network: null, client: 'other' };
