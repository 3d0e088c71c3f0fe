import type { OwnerAdministration, Suspended } from '../../../domain/accounts/operators/owner-administration.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { type ActionSource, COMMAND_LINE, operatorEvent } from '../../../domain/accounts/security-event.ts';
import { type Role, TIERS, type Tier } from '../../../domain/caller.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { stopFactorReset } from '../factors/factor-reset.ts';
import type { ConfirmLogin } from '../sign-in/recent-login.ts';
import { ownerNamed } from './list-accounts.ts';

const BY_COMMAND: OperatorRequest = { source: COMMAND_LINE, admin: null, confirmLogin: async () => undefined };

export interface Suspension {
  /** As it was before. */
  readonly owner: Owner;
  /** Null: the owner was suspended before, and nothing changed. */
  readonly ended: Suspended | null;
}

/**
 * Suspends an account: its sessions end and its keys stop at once, and no login, key, agent or submission is accepted until
 * `resumeOwner`. Records stay, are graded and are counted in cohorts. A requested removal of second factors is taken back.
 * The audit log gets the reason.
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
    if (ended) {
      await securityEvents.append(operatorEvent('account_suspended', owner_id, actor, by.source));
      // Whose sessions and logins are stopped could not stop it.
      await stopFactorReset({ factors: stores.factors, securityEvents, audit }, owner_id, 'operator', by.source, actor);
    }
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

interface TierChange {
  /** As it was before. */
  readonly owner: Owner;
  /** False: the owner had the tier already. */
  readonly changed: boolean;
  /** Of the owner: after a rise, the owner logs in again and gets a new session id. */
  readonly sessions_ended: number;
}

/**
 * Gives an owner a tier, from the next request on (settled.md section 7). A larger tier ends the owner's sessions. A
 * smaller one removes nothing: what the owner has beyond it stays, and nothing can be added until there is room.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND, REAUTHENTICATION_REQUIRED, FORBIDDEN
 */
export async function changeTier(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  tier: Tier,
  actor: string,
  by: OperatorRequest = BY_COMMAND,
): Promise<TierChange> {
  return transaction(async ({ owners, securityEvents, audit, ...stores }) => {
    const owner = await ownerNamed({ owners }, named);
    const changed = await (await accountChanges(stores, owner, by)).setTier(owner.owner_id, tier);
    const isRise = changed && TIERS.indexOf(tier) > TIERS.indexOf(owner.tier);
    const sessions_ended = isRise ? await stores.sessions.destroyOf(owner.owner_id, null) : 0;
    if (changed)
      await securityEvents.append({
        ...operatorEvent('tier_changed', owner.owner_id, actor, by.source),
        subject: tier,
      });
    await audit.append({
      actor,
      action: 'set_tier',
      subject: owner.owner_id,
      detail: { tier, changed },
    });
    return { owner, changed, sessions_ended };
  });
}

interface RoleChange {
  /** As it was before. */
  readonly owner: Owner;
  /** False: the owner had the role already. */
  readonly changed: boolean;
  /** Of the owner: after a rise, the owner logs in again and gets a new session id. */
  readonly sessions_ended: number;
}

/**
 * Gives an owner a role; every request that starts after this is judged by it (settled.md section 8). A rise to admin ends
 * the owner's sessions. The audit log gets an entry without the email, since its entries are never removed.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND
 */
export async function changeRole(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  role: Role,
  actor: string,
): Promise<RoleChange> {
  return transaction(async ({ owners, ownerAdministration, sessions, securityEvents, audit }) => {
    const owner = await ownerNamed({ owners }, named);
    const changed = await ownerAdministration.setRole(owner.owner_id, role);
    const sessions_ended = changed && role === 'admin' ? await sessions.destroyOf(owner.owner_id, null) : 0;
    if (changed)
      await securityEvents.append({ ...operatorEvent('role_changed', owner.owner_id, actor), subject: role });
    const action = role === 'admin' ? 'grant_admin' : 'revoke_admin';
    await audit.append({ actor, action, subject: owner.owner_id, detail: { changed } });
    return { owner, changed, sessions_ended };
  });
}

/** How an operator comes to a change of an account. */
interface OperatorRequest {
  readonly source: ActionSource;
  /** The owner_id of an admin who asks over HTTP; null: a command, which connects as the owner of the schema. */
  readonly admin: string | null;
  /** Whether the operator logged in a short time ago. */
  readonly confirmLogin: ConfirmLogin;
}

/**
 * The changes of an account that the operator may make. An admin may change no account of an admin, not even their own:
 * so no admin locks out another one.
 * @throws Problem REAUTHENTICATION_REQUIRED, FORBIDDEN
 */
async function accountChanges(
  stores: Pick<Stores, 'ownerAdministration' | 'accountControl' | 'sessions'>,
  { role }: Owner,
  { admin, confirmLogin }: OperatorRequest,
): Promise<Pick<OwnerAdministration, 'setTier' | 'suspend' | 'resume'>> {
  await confirmLogin(stores);
  if (admin === null) return stores.ownerAdministration;
  if (role === 'admin')
    throw new Problem('FORBIDDEN', 'This is the account of an admin.', {
      suggestion: 'Use the command line: npm run admin -- suspend-owner, resume-owner, set-tier.',
    });
  const { accountControl } = stores;
  return {
    setTier: (owner_id, tier) => accountControl.setTier(owner_id, tier, admin),
    suspend: (owner_id) => accountControl.suspend(owner_id, admin),
    resume: (owner_id) => accountControl.resume(owner_id, admin),
  };
}
