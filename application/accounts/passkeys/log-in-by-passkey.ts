import { ownerGone } from '../../../domain/accounts/active-owner.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import type { Ports } from '../../ports.ts';
import { beginSession, type LoggedIn, notingSuspension } from '../sign-in/begin-session.ts';
import type { ChallengePorts } from './passkey-challenge.ts';
import { passkeyRefused, provePasskey, type SentAssertion } from './prove-passkey.ts';

export type PasskeyLoginPorts = ChallengePorts & Pick<Ports, 'owners' | 'securityEvents' | 'transaction'>;

/**
 * Begins a session by a passkey alone: it is something that its owner has, and it verified its owner. A passkey that was
 * removed while its answer was judged begins none.
 * @param session the id of the browser's earlier session, not verified
 * @throws Problem INVALID_CREDENTIALS, ACCOUNT_SUSPENDED
 */
export async function logInByPasskey(
  ports: PasskeyLoginPorts,
  sent: SentAssertion,
  session: string | undefined,
  source: ActionSource,
): Promise<LoggedIn> {
  const { passkey, used } = await provePasskey(ports, sent);
  const owner_id = passkey?.owner_id ?? null;
  const failure = eventOf('passkey_login', 'failure', owner_id, source);
  if (passkey !== null && used !== null) {
    const owner = await ports.owners.find(passkey.owner_id);
    if (!owner) throw ownerGone();
    const now = await ports.clock.now();
    const begun = await notingSuspension(ports, failure, () =>
      ports.transaction(async (stores) => {
        await stores.factors.lock(owner.owner_id);
        if (!(await stores.passkeys.use(passkey.passkey_id, used.counter, used.synced))) return null;
        await stores.securityEvents.append(eventOf('passkey_login', 'success', owner.owner_id, source));
        return beginSession(stores, owner, session, { now, authenticated_at: now, source, factor: 'passkey' });
      }),
    );
    if (begun) return begun;
  }
  await ports.securityEvents.append(failure);
  throw passkeyRefused();
}
