import type { Passkey } from '../../../domain/accounts/factors/passkey.ts';
import type { PasskeyAssertion } from '../../../domain/accounts/factors/passkey-verifier.ts';
import type { RelyingParty } from '../../../domain/accounts/factors/relying-party.ts';
import { Problem } from '../../../domain/problem.ts';
import { type ChallengePorts, takeChallenge } from './passkey-challenge.ts';
import { userHandle } from './user-handle.ts';

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
export async function provePasskey(
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

export function passkeyRefused(): Problem {
  return new Problem('INVALID_CREDENTIALS', 'The passkey was not accepted.', {
    suggestion:
      'Ask for another challenge (POST /api/v1/public/auth/passkey/options), and send the answer to it from the same ' +
      'browser, with a passkey that is registered here and verifies its user.',
  });
}
