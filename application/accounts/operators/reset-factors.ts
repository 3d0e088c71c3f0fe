import type { Owner } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { ownerNamed } from './owner-named.ts';

export interface FactorReset {
  readonly owner: Owner;
  readonly sessions_ended: number;
}

/**
 * Removes all second factors and recovery codes of an owner who has lost them, and ends all sessions: the next login needs
 * the password alone. The operator has to know the person in another way. The audit log gets an entry.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND, also for an owner without a factor
 */
export async function resetFactors(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  actor: string,
): Promise<FactorReset> {
  return transaction(async ({ owners, factors, sessions, securityEvents, audit }) => {
    const owner = await ownerNamed({ owners }, named);
    const { owner_id } = owner;
    if (!(await factors.reset(owner_id))) throw new Problem('NOT_FOUND', 'This account has no second factor.');
    const sessions_ended = await sessions.destroyOf(owner_id, null);
    await securityEvents.append(operatorEvent('factors_reset', owner_id, actor));
    await audit.append({ actor, action: 'reset_factors', subject: owner_id, detail: { sessions_ended } });
    return { owner, sessions_ended };
  });
}
