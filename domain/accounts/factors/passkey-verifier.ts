import type { Passkey } from './passkey.ts';
import type { RelyingParty } from './relying-party.ts';

/** What a browser sends after `navigator.credentials.get` (WebAuthn 5.1.8.2): binary members in base64url. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    /** Whose passkey the authenticator says that it is. */
    readonly userHandle?: string | null | undefined;
  };
}

/** What a browser sends after `navigator.credentials.create`. */
export interface PasskeyAttestation {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
}

/** The passkey of a registration. */
export type AttestedPasskey = Pick<Passkey, 'credential_id' | 'public_key' | 'counter' | 'synced'>;

/** Verifies what authenticators sign (WebAuthn level 3, sections 7.1 and 7.2), the verification of their user included. */
export interface PasskeyVerifier {
  /** The challenge that an answer names, not verified; null where there is none. */
  challengeOf(answer: PasskeyAssertion | PasskeyAttestation): string | null;

  /** The passkey that was made for that challenge and place; null for every other answer. */
  verifyRegistration(
    answer: PasskeyAttestation,
    challenge: string,
    place: RelyingParty,
  ): Promise<AttestedPasskey | null>;

  /**
   * What that passkey has signed for that challenge and place; null for every other answer, also with a counter that is
   * not greater than the stored one.
   */
  verifyLogin(
    answer: PasskeyAssertion,
    challenge: string,
    place: RelyingParty,
    passkey: Passkey,
  ): Promise<Pick<Passkey, 'counter' | 'synced'> | null>;
}
