import type { Passkey, PasskeyChallenge, PasskeyPurpose } from './passkey.ts';

/** The passkeys of owners, and the challenges for them. */
export interface PasskeyStore {
  /** Adds a passkey; false when its credential is that of another one, also of another owner. */
  add(passkey: Passkey): Promise<boolean>;

  /** Those of the owner, the oldest first. */
  list(owner_id: string): Promise<readonly Passkey[]>;

  /** The passkey of a credential, whoever owns it. */
  findCredential(credential_id: string): Promise<Passkey | null>;

  /**
   * Notes a login with the counter that its authenticator sent. False when it is not greater than that of the last login
   * (both 0 for an authenticator that does not count), or the passkey is gone; of concurrent calls with one counter above
   * 0 one succeeds.
   */
  use(passkey_id: string, counter: number, synced: boolean): Promise<boolean>;

  /** The passkey of the owner, renamed; null when the owner has no such one. */
  rename(owner_id: string, passkey_id: string, name: string): Promise<Passkey | null>;

  /** Removes a passkey of the owner; false when the owner has no such one. */
  remove(owner_id: string, passkey_id: string): Promise<boolean>;

  /** Adds a new challenge. */
  addChallenge(challenge: PasskeyChallenge): Promise<void>;

  /**
   * Removes the challenge: of concurrent calls one gets true, on any number of processes. False when there is none for
   * that purpose and client, or it has expired by the database's clock (`isExpired`). Another client does not use it up.
   */
  takeChallenge(challenge_hash: Uint8Array, bound_to: Uint8Array, purpose: PasskeyPurpose): Promise<boolean>;

  /** Removes expired challenges; returns how many. */
  pruneChallenges(): Promise<number>;
}
