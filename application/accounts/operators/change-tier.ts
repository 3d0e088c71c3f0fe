import type { Owner } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import { TIERS, type Tier } from '../../../domain/caller.ts';
import type { Ports } from '../../ports.ts';
import { accountChanges, BY_COMMAND, type OperatorRequest } from './operator-request.ts';
import { ownerNamed } from './owner-named.ts';

export interface TierChange {
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
