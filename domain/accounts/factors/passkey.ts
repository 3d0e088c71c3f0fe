import { PASSKEY } from '../../limits.ts';

/** A passkey of an owner (WebAuthn level 3): a login of its own, because it verifies its user. */
export interface Passkey {
  readonly passkey_id: string;
  readonly owner_id: string;
  /** As its authenticator names it, in base64url: of one passkey alone, whoever owns it. */
  readonly credential_id: string;
  /** In the form of COSE. */
  readonly public_key: Uint8Array;
  /** The signature counter of the last login (WebAuthn 6.1.1); 0 of an authenticator that does not count. */
  readonly counter: number;
  readonly name: string;
  /** Whether it is synchronised between the owner's devices (WebAuthn 6.1.3: its backup state). */
  readonly synced: boolean;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const PASSKEY_PURPOSES = ['login', 'registration'] as const;
export type PasskeyPurpose = (typeof PASSKEY_PURPOSES)[number];

/** A challenge that an authenticator is to sign. */
export interface PasskeyChallenge {
  /** SHA-256 of the challenge itself. */
  readonly challenge_hash: Uint8Array;
  /** SHA-256 of what only the client of the request has: the secret in its cookie, or its session. */
  readonly bound_to: Uint8Array;
  readonly purpose: PasskeyPurpose;
  readonly created_at: Date;
}

/** Whether the client has taken too long. */
export function isExpired({ created_at }: Pick<PasskeyChallenge, 'created_at'>, now: Date): boolean {
  return now.getTime() >= created_at.getTime() + PASSKEY.challengeLife;
}
