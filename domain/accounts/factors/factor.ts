import type { Millis } from '../../time.ts';
import type { Passkey } from './passkey.ts';

/**
 * What a session can be opened with besides a password: a code of an authenticator app, one of the recovery codes, a
 * passkey, which needs no password, or what the identity provider says that it asked for.
 */
export const SESSION_FACTORS = ['totp', 'recovery_code', 'passkey', 'provider'] as const;
export type SessionFactor = (typeof SESSION_FACTORS)[number];

/** The authenticator app of an owner. Its secrets are sealed under a key that derives from SESSION_SECRET. */
export interface Totp {
  readonly owner_id: string;
  /** null until a code has confirmed the first one. */
  readonly secret: Uint8Array | null;
  readonly confirmed_at: Date | null;
  /** The newest step of a code that was accepted: this one and earlier ones are not accepted again. */
  readonly last_step: number;
  /** The secret that the next confirmation puts in the place of the other; null where none was begun. */
  readonly pending: Uint8Array | null;
  readonly pending_at: Date | null;
}

/** An authenticator app whose code was confirmed. */
export interface ConfirmedTotp extends Totp {
  readonly secret: Uint8Array;
  readonly confirmed_at: Date;
}

/** Whether the app counts as a factor. */
export function isConfirmed(totp: Totp | null): totp is ConfirmedTotp {
  return totp !== null && totp.secret !== null && totp.confirmed_at !== null;
}

/** The factors of an owner. Recovery codes are none: they replace one that is lost. */
export interface OwnFactors {
  readonly totp: Totp | null;
  /** The oldest first. */
  readonly passkeys: readonly Passkey[];
}

/** Whether a login of the owner by password needs more than the password. */
export function hasFactor({ totp, passkeys }: OwnFactors): boolean {
  return isConfirmed(totp) || passkeys.length > 0;
}

/**
 * How an operator has identified a person who lost all factors: by an official document; by sight, as somebody whom the
 * operator knows; by a call to a number that was known before; by the person's organisation. Mail from the account's
 * address is none: who took it over asks for the same.
 */
export const RESET_EVIDENCE = ['identity_document', 'known_in_person', 'known_number', 'organisation'] as const;
export type ResetEvidence = (typeof RESET_EVIDENCE)[number];

/** The removal of all factors of an owner, which an operator has requested and which waits. */
export interface FactorReset {
  readonly owner_id: string;
  readonly evidence: ResetEvidence;
  /** Who requested it, as in the audit log. */
  readonly actor: string;
  readonly requested_at: Date;
  readonly due_at: Date;
}

/** The second factors of owners. */
export interface FactorStore {
  /**
   * Locks the owner until the transaction ends: logins (`LoginStore.confirm`) and other changes of the factors wait.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  lock(owner_id: string): Promise<void>;

  of(owner_id: string): Promise<OwnFactors>;

  /** Begins an authenticator app; it replaces one that was begun before, and leaves a confirmed one as it is. */
  beginTotp(owner_id: string, pending: Uint8Array): Promise<void>;

  /**
   * Puts the app that was begun with that secret, less than `within` ago, in the place of the former one. Its code of
   * `step` is used. Of concurrent calls one succeeds; false for the others.
   */
  confirmTotp(owner_id: string, pending: Uint8Array, step: number, within: Millis): Promise<boolean>;

  /**
   * Uses the code of the step up, and those of all earlier steps; false when it is used, or the app has another secret.
   * Of concurrent calls for a step one succeeds, on any number of processes.
   */
  useTotp(owner_id: string, secret: Uint8Array, step: number): Promise<boolean>;

  /** Removes the app, and one that was begun; false when none was confirmed. */
  removeTotp(owner_id: string): Promise<boolean>;

  /** Replaces all recovery codes of the owner by those of these hashes; none for an empty list. */
  setRecoveryCodes(owner_id: string, hashes: readonly Uint8Array[]): Promise<void>;

  /** How many recovery codes are left. */
  recoveryCodes(owner_id: string): Promise<number>;

  /** Uses a recovery code up; false when there is none of that hash. Of concurrent calls one succeeds. */
  useRecoveryCode(owner_id: string, hash: Uint8Array): Promise<boolean>;

  /**
   * Requests the removal of all factors, due after `wait` by the clock of the database; null when one is requested already:
   * of concurrent calls one succeeds.
   */
  requestReset(
    request: Pick<FactorReset, 'owner_id' | 'evidence' | 'actor'>,
    wait: Millis,
  ): Promise<FactorReset | null>;

  /** The requested removal; null without one. */
  requestedReset(owner_id: string): Promise<FactorReset | null>;

  /** Takes the requested removal back; false without one. Of concurrent calls, also of `takeDueReset`, one succeeds. */
  cancelReset(owner_id: string): Promise<boolean>;

  /** The requested removals that are due, of owners who are not suspended; the longest due first. */
  dueResets(limit: number): Promise<readonly FactorReset[]>;

  /** Ends the request for a removal that is due, so that the caller does it; null for any other. */
  takeDueReset(owner_id: string): Promise<FactorReset | null>;

  /** Removes all factors and recovery codes of the owner; false when there was nothing. */
  reset(owner_id: string): Promise<boolean>;
}

/** The codes of authenticator apps (TOTP, RFC 6238): SHA-1, 6 digits, a step of 30 seconds. */
export interface OneTimeCodes {
  /** A new random secret of 160 bits, in base 32. */
  newSecret(): string;

  /** The address by which an app takes the secret over; a page draws it as a QR code. */
  uri(secret: string, account: string): string;

  /**
   * The step of the code: that of the time `at`, or one of `TOTP.drift` steps around it (RFC 6238, section 5.2); null for
   * a wrong code.
   */
  stepOf(secret: string, code: string, at: Date): number | null;
}
