import type { OwnerAdministration } from '../../../domain/accounts/operators/owner-administration.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { type ActionSource, COMMAND_LINE } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Stores } from '../../ports.ts';
import type { ConfirmLogin } from '../sign-in/recent-login.ts';

/** How an operator comes to a change of an account. */
export interface OperatorRequest {
  readonly source: ActionSource;
  /** The owner_id of an admin who asks over HTTP; null: a command, which connects as the owner of the schema. */
  readonly admin: string | null;
  /** Whether the operator logged in a short time ago. */
  readonly confirmLogin: ConfirmLogin;
}

export const BY_COMMAND: OperatorRequest = { source: COMMAND_LINE, admin: null, confirmLogin: async () => undefined };

/**
 * The changes of an account that the operator may make. An admin may change no account of an admin, not even their own:
 * so no admin locks out another one.
 * @throws Problem REAUTHENTICATION_REQUIRED, FORBIDDEN
 */
export async function accountChanges(
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
