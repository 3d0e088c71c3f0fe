import { hasFactor } from '../../../domain/accounts/factors/factor.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import { beginChange, type FactorCaller, type FactorPorts } from './factor-change.ts';
import { newRecoveryCodes } from './recovery-codes.ts';

/**
 * Replaces the recovery codes of the caller: those of before are void.
 * @throws Problem REAUTHENTICATION_REQUIRED, NOT_FOUND without a second factor
 */
export function renewRecoveryCodes(ports: FactorPorts, caller: FactorCaller): Promise<readonly string[]> {
  return ports.transaction(async (stores) => {
    const { owner_id, source } = caller;
    const { before } = await beginChange(ports, stores, caller);
    if (!hasFactor(before)) {
      throw new Problem('NOT_FOUND', 'This account has no second factor, so it needs no recovery codes.', {
        suggestion: 'Add one first: POST /api/v1/owner/auth/factors/totp. It comes with recovery codes.',
      });
    }
    await stores.securityEvents.append(eventOf('recovery_codes_renewed', 'success', owner_id, source));
    return newRecoveryCodes(stores, owner_id);
  });
}
