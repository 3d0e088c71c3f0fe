import type { PasskeyPurpose } from '../../../domain/accounts/factors/passkey.ts';
import type { PasskeyAssertion, PasskeyAttestation } from '../../../domain/accounts/factors/passkey-verifier.ts';
import { isLoginSecret } from '../../../domain/accounts/provider/provider-login.ts';
import type { Ports } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { makeLoginSecret } from '../provider/login-secret.ts';

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
