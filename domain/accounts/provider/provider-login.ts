import { IDENTITY } from '../../limits.ts';

/** A login through the provider that is under way: the browser was redirected there and has not returned. */
export interface ProviderLogin {
  /** SHA-256 of the state; the state itself is only in the browser's address line. */
  readonly state_hash: Uint8Array;
  /** SHA-256 of the secret in the cookie of the browser that began it. */
  readonly browser_hash: Uint8Array;
  readonly nonce: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
  readonly created_at: Date;
  /** Whether the person has to log in at the provider anew, although the provider may know them. */
  readonly is_fresh: boolean;
}

/** Bytes of a state, a nonce and a browser's secret: 256 bits, so that it cannot be guessed. */
export const LOGIN_SECRET_BYTES = 32;

/** Whether the text can be one of them: those bytes in base64url. */
export function isLoginSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Whether the browser has stayed away too long. */
export function isStale({ created_at }: Pick<ProviderLogin, 'created_at'>, now: Date): boolean {
  return now.getTime() >= created_at.getTime() + IDENTITY.loginLife;
}
