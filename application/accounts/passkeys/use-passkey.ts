import type {
  Passkey,
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyPurpose,
  RelyingParty,
} from '../../../domain/accounts/factors/passkey.ts';
import { ownerGone } from '../../../domain/accounts/owner.ts';
import { isLoginSecret } from '../../../domain/accounts/provider/identity-provider.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import type { FactorCaller } from '../factors/factor-change.ts';
import { stopFactorReset } from '../factors/factor-reset.ts';
import { makeLoginSecret } from '../provider/provider-login.ts';
import { beginSession, type LoggedIn, notingSuspension, replaceSession } from '../sign-in/sessions.ts';

/** An answer of an authenticator, with what came with it. */
export interface SentAssertion {
  readonly answer: PasskeyAssertion;
  readonly place: RelyingParty;
  /** The secret of the browser's cookie, not verified. */
  readonly browserSecret: string | undefined;
}

/** What an answer proves; the passkey may be known although the proof failed. */
export interface PasskeyProof {
  readonly passkey: Passkey | null;
  /** null: it proves nothing. */
  readonly used: Pick<Passkey, 'counter' | 'synced'> | null;
}

/**
 * Judges the answer to such a challenge, which is used up (WebAuthn level 3, section 7.2). The owner is that of the passkey;
 * what the authenticator says of its user has to be the same.
 */
async function provePasskey(
  ports: ChallengePorts,
  { answer, place, browserSecret }: SentAssertion,
): Promise<PasskeyProof> {
  const challenge = await takeChallenge(ports, answer, 'login', null, browserSecret);
  const passkey = await ports.passkeys.findCredential(answer.id);
  if (challenge === null || passkey === null) return { passkey, used: null };
  const { userHandle: handle } = answer.response;
  if (handle !== userHandle(passkey.owner_id)) return { passkey, used: null };
  return { passkey, used: await ports.passkeyVerifier.verifyLogin(answer, challenge, place, passkey) };
}

function passkeyRefused(): Problem {
  return new Problem('INVALID_CREDENTIALS', 'The passkey was not accepted.', {
    suggestion:
      'Ask for another challenge (POST /api/v1/public/auth/passkey/options), and send the answer to it from the same ' +
      'browser, with a passkey that is registered here and verifies its user.',
  });
}

export type ChallengePorts = Pick<Ports, 'passkeys' | 'passkeyVerifier' | 'clock'>;

/** A challenge, with the secret that the browser stores in a cookie and sends with the answer. */
export interface BegunPasskey {
  readonly challenge: string;
  readonly browser_secret: string;
}

/**
 * A new challenge, of 256 random bits, for one browser.
 * @param owner_id of the account that it is for; null for any
 * @param presented the secret that came with the request; the browser keeps a valid one
 */
export async function newChallenge(
  { passkeys, clock }: Pick<Ports, 'passkeys' | 'clock'>,
  purpose: PasskeyPurpose,
  owner_id: string | null,
  presented: string | undefined,
): Promise<BegunPasskey> {
  const browser_secret = presented !== undefined && isLoginSecret(presented) ? presented : makeLoginSecret();
  const challenge = makeLoginSecret();
  const hashes = { challenge_hash: sha256(challenge), bound_to: boundTo(browser_secret, owner_id) };
  await passkeys.addChallenge({ ...hashes, purpose, created_at: await clock.now() });
  return { challenge, browser_secret };
}

/** Uses the challenge of an answer up, whatever the answer is worth; null where this browser has no such one. */
export async function takeChallenge(
  { passkeys, passkeyVerifier }: Pick<ChallengePorts, 'passkeys' | 'passkeyVerifier'>,
  answer: PasskeyAssertion | PasskeyAttestation,
  purpose: PasskeyPurpose,
  owner_id: string | null,
  browserSecret: string | undefined,
): Promise<string | null> {
  const challenge = passkeyVerifier.challengeOf(answer);
  if (challenge === null || browserSecret === undefined || !isLoginSecret(challenge)) return null;
  const bound_to = boundTo(browserSecret, owner_id);
  return (await passkeys.takeChallenge(sha256(challenge), bound_to, purpose)) ? challenge : null;
}

function boundTo(browserSecret: string, owner_id: string | null): Uint8Array {
  return sha256(browserSecret, ' ', owner_id ?? '');
}

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
        await stopFactorReset(stores, owner.owner_id, 'login', source);
        return beginSession(stores, owner, session, { now, authenticated_at: now, source, factor: 'passkey' });
      }),
    );
    if (begun) return begun;
  }
  await ports.securityEvents.append(failure);
  throw passkeyRefused();
}

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
      await stopFactorReset(stores, owner_id, 'login', source);
      return replaceSession(stores, owner, session, { now, authenticated_at: now, source, factor: 'passkey' });
    });
    if (begun) return begun;
  }
  await ports.securityEvents.append(eventOf('reauthentication', 'failure', owner_id, source));
  throw passkeyRefused();
}

/** How authenticators know an owner (WebAuthn 5.4.3, `user.id`): the 16 bytes of the owner_id, in base64url. */
export function userHandle(owner_id: string): string {
  return Buffer.from(owner_id.replaceAll('-', ''), 'hex').toString('base64url');
}
