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

/** The factors of an owner. Recovery codes are none: they stand in for one that is lost. */
export interface OwnFactors {
  readonly totp: Totp | null;
  /** The oldest first. */
  readonly passkeys: readonly Passkey[];
}

/** Whether a login of the owner by password needs more than the password. */
export function hasFactor({ totp, passkeys }: OwnFactors): boolean {
  return isConfirmed(totp) || passkeys.length > 0;
}
