import type { Suspended } from '../../../domain/accounts/operators/owner-administration.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import type { Ports } from '../../ports.ts';
import { accountChanges, BY_COMMAND, type OperatorRequest } from './operator-request.ts';
import { ownerNamed } from './owner-named.ts';

export interface Suspension {
  /** As it was before. */
  readonly owner: Owner;
  /** Null: the owner was suspended before, and nothing changed. */
  readonly ended: Suspended | null;
}

/**
 * Suspends an account: its sessions end and its keys stop at once, and no login, key, agent or submission is accepted until
 * `resumeOwner`. Records stay, are graded and are counted in cohorts. The audit log gets the reason.
 * @param named an owner_id, or the email of a password account
 * @param reason 1 to `ACCOUNT.suspensionReasonLength` characters, for operators
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND, REAUTHENTICATION_REQUIRED, FORBIDDEN
 */
export async function suspendOwner(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  reason: string,
  actor: string,
  by: OperatorRequest = BY_COMMAND,
): Promise<Suspension> {
  return transaction(async ({ owners, securityEvents, audit, ...stores }) => {
    const owner = await ownerNamed({ owners }, named);
    const { owner_id } = owner;
    const ended = await (await accountChanges(stores, owner, by)).suspend(owner_id);
    if (ended) await securityEvents.append(operatorEvent('account_suspended', owner_id, actor, by.source));
    const detail = { reason, changed: ended !== null, ...ended };
    await audit.append({ actor, action: 'suspend_owner', subject: owner_id, detail });
    return { owner, ended };
  });
}

export interface Resumption {
  readonly owner: Owner;
  /** The prefixes of the keys that work again; null: the owner was not suspended, and nothing changed. */
  readonly keys: readonly string[] | null;
}

/**
 * Ends a suspension: the keys that it revoked work again, and the owner may log in.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND, REAUTHENTICATION_REQUIRED, FORBIDDEN
 */
export async function resumeOwner(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  actor: string,
  by: OperatorRequest = BY_COMMAND,
): Promise<Resumption> {
  return transaction(async ({ owners, securityEvents, audit, ...stores }) => {
    const owner = await ownerNamed({ owners }, named);
    const { owner_id } = owner;
    const keys = await (await accountChanges(stores, owner, by)).resume(owner_id);
    if (keys) await securityEvents.append(operatorEvent('account_resumed', owner_id, actor, by.source));
    const detail = { changed: keys !== null, ...(keys && { keys }) };
    await audit.append({ actor, action: 'resume_owner', subject: owner_id, detail });
    return { owner, keys };
  });
}
