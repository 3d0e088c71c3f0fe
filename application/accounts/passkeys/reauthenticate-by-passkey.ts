import { ownerGone } from '../../../domain/accounts/active-owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import type { FactorCaller } from '../factors/factor-change.ts';
import { type LoggedIn, replaceSession } from '../sign-in/begin-session.ts';
import type { PasskeyLoginPorts } from './log-in-by-passkey.ts';
import { passkeyRefused, provePasskey, type SentAssertion } from './prove-passkey.ts';

/**
 * Proves to be the owner again by a passkey of the account, and replaces the session of the request by a new one.
 * @throws Problem INVALID_CREDENTIALS, also for a passkey of another account, UNAUTHORIZED for a session that ended
 * meanwhile, ACCOUNT_SUSPENDED
 */
export async function reauthenticateByPasskey(
  ports: PasskeyLoginPorts,
  { owner_id, session, source }: FactorCaller,
  sent: SentAssertion,
): Promise<LoggedIn> {
  const owner = await ports.owners.find(owner_id);
  if (!owner) throw ownerGone();
  const { passkey, used } = await provePasskey(ports, sent);
  if (passkey?.owner_id === owner_id && used !== null) {
    const now = await ports.clock.now();
    const begun = await ports.transaction(async (stores) => {
      await stores.factors.lock(owner_id);
      if (!(await stores.passkeys.use(passkey.passkey_id, used.counter, used.synced))) return null;
      await stores.securityEvents.append(eventOf('reauthentication', 'success', owner_id, source));
      return replaceSession(stores, owner, session, { now, authenticated_at: now, source, factor: 'passkey' });
    });
    if (begun) return begun;
  }
  await ports.securityEvents.append(eventOf('reauthentication', 'failure', owner_id, source));
  throw passkeyRefused();
}
