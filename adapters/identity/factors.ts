import { Secret, TOTP } from 'otpauth';
import type { OneTimeCodes } from '../../domain/accounts/factors/factor.ts';
import type { AttestedPasskey, PasskeyVerifier } from '../../domain/accounts/factors/passkey.ts';
import { PASSKEY, TOTP as RULES } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';

/** Loaded at the first answer: it takes a quarter of a second, and most processes never need it. */
const library = () => import('@simplewebauthn/server');

/** Answers of authenticators, verified by @simplewebauthn/server. */
export function passkeyVerifier(): PasskeyVerifier {
  return {
    challengeOf: ({ response }) => {
      const challenge = clientDataOf(response.clientDataJSON)?.challenge;
      return typeof challenge === 'string' ? challenge : null;
    },

    async verifyRegistration({ id, response }, challenge, { id: expectedRPID, origins }) {
      if (isFramed(response.clientDataJSON)) return null;
      const { verifyRegistrationResponse } = await library();
      const verified = await orRefused(
        verifyRegistrationResponse({
          response: { id, rawId: id, type: TYPE, clientExtensionResults: {}, response: { ...response } },
          expectedChallenge: challenge,
          expectedOrigin: [...origins],
          expectedRPID,
          requireUserVerification: true,
          supportedAlgorithmIDs: [...PASSKEY.algorithms],
        }),
      );
      if (!verified?.verified) return null;
      const { credential, credentialBackedUp } = verified.registrationInfo;
      const { id: credential_id, publicKey, counter } = credential;
      // No text of base64url but one is this id, so that no passkey is stored twice.
      if (credential_id !== id) return null;
      return { credential_id, public_key: publicKey, counter, synced: credentialBackedUp } satisfies AttestedPasskey;
    },

    async verifyLogin(
      { id, response },
      challenge,
      { id: expectedRPID, origins },
      { credential_id, public_key, counter },
    ) {
      if (isFramed(response.clientDataJSON) || id !== credential_id) return null;
      const { clientDataJSON, authenticatorData, signature } = response;
      const { verifyAuthenticationResponse } = await library();
      const verified = await orRefused(
        verifyAuthenticationResponse({
          response: {
            ...{ id, rawId: id, type: TYPE, clientExtensionResults: {} },
            response: { clientDataJSON, authenticatorData, signature },
          },
          expectedChallenge: challenge,
          expectedOrigin: [...origins],
          expectedRPID,
          requireUserVerification: true,
          credential: { id, publicKey: new Uint8Array(public_key), counter },
        }),
      );
      if (!verified?.verified) return null;
      const { newCounter, credentialBackedUp } = verified.authenticationInfo;
      return { counter: newCounter, synced: credentialBackedUp };
    },
  };
}

const TYPE = 'public-key';

/** The library throws for every answer that it does not accept, a malformed one included. */
function orRefused<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch(() => null);
}

/** A page of ours in a frame of another site: the library lets it pass where the browser does not name that site. */
function isFramed(clientDataJSON: string): boolean {
  return clientDataOf(clientDataJSON)?.crossOrigin === true;
}

interface ClientData {
  readonly challenge?: unknown;
  readonly crossOrigin?: unknown;
}

function clientDataOf(clientDataJSON: string): ClientData | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    return typeof data === 'object' ? data : null;
  } catch {
    return null;
  }
}

/** Codes by otpauth. @param issuer how apps name the service */
export function oneTimeCodes(issuer = 'Stancebook'): OneTimeCodes {
  const of = (secret: string, label = '') =>
    new TOTP({
      issuer,
      label,
      algorithm: 'SHA1',
      digits: RULES.digits,
      period: RULES.step / SECOND,
      secret: Secret.fromBase32(secret),
    });
  return {
    newSecret: () => new Secret({ size: RULES.secretBytes }).base32,

    uri: (secret, account) => of(secret, account).toString(),

    stepOf(secret, code, at) {
      const [codes, timestamp] = [of(secret), at.getTime()];
      const offset = codes.validate({ token: code, timestamp, window: RULES.drift });
      return offset === null ? null : codes.counter({ timestamp }) + offset;
    },
  };
}
