import { IDENTITY } from '../../limits.ts';
import type { Owner } from '../owner.ts';

/** Bytes of a state, a nonce and a browser's secret: 256 bits, so that it cannot be guessed. */
export const LOGIN_SECRET_BYTES = 32;

/** What a browser is sent to the provider with. */
export interface AuthorizationRequest extends Pick<ProviderLogin, 'redirect_uri' | 'nonce' | 'is_fresh'> {
  readonly state: string;
  /** Whether the provider is asked for one of the levels of login that the operator names; it need not comply. */
  readonly wants_factor: boolean;
}

/** What the provider sent the browser back with. */
export interface AuthorizationAnswer {
  readonly code: string;
  /** The issuer of the answer (RFC 9207); undefined where the answer names none. */
  readonly iss: string | undefined;
}

/** A logout at the provider. At least one of the first two is given. */
export interface ProviderLogout {
  readonly identity: Identity | null;
  readonly provider_session: string | null;
  readonly issued_at: Date;
}

/** What an access token says of the login that it was issued after. */
export interface BearerLogin {
  /**
   * When its owner logged in: by `auth_time`, else by the time of its issue, unless the operator asks for the former; null
   * when the token does not say.
   */
  readonly at: Date | null;
  /** Whether it says that its owner proved more than a password (`ProvenIdentity.has_factor`). */
  readonly has_factor: boolean;
}

/** The external identity provider (interface.md section 5, settled.md section 8). */
export interface IdentityProvider {
  /**
   * The identity of an access token that the configured issuer signed, for our audience, with an algorithm of the
   * allowlist, and that is in force now. null for every other token.
   * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
   */
  verifyBearer(token: string): Promise<Identity | null>;

  /**
   * The login of such a token; null for every other token.
   * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
   */
  loginOfBearer(token: string): Promise<BearerLogin | null>;

  /** The values of `acr` that the operator names for a second factor, as a client requests one; none: `amr` alone shows it. */
  readonly factorLevels: readonly string[];

  /**
   * What a logout token ends (OpenID Connect Back-Channel Logout 1.0, section 2.6); null for an invalid token.
   * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
   */
  verifyLogout(token: string): Promise<ProviderLogout | null>;

  /**
   * The address to send the browser to, and the verifier whose hash goes with it (PKCE S256).
   * @throws Problem SERVICE_UNAVAILABLE when the provider's metadata is unavailable
   */
  authorization(request: AuthorizationRequest): Promise<Pick<ProviderLogin, 'code_verifier'> & { location: string }>;

  /**
   * Redeems the code of an answer to that login and proves whose it is.
   * @throws Problem OAUTH_CALLBACK_ERROR when the provider refuses, fails, sends an invalid reply, or does not prove a
   * fresh login that was requested
   */
  redeem(answer: AuthorizationAnswer, login: ProviderLogin): Promise<ProvenIdentity>;
}

/**
 * A person as the identity provider knows them. An owner is linked to it by both parts, compared byte for byte, and
 * never by an email address, which providers reassign (settled.md section 8).
 */
export interface Identity {
  readonly issuer: string;
  /**
   * The provider's own name for the person: 1 to 255 visible ASCII characters or spaces (OpenID Connect Core, section
   * 2).
   */
  readonly subject: string;
}

/** An identity that the provider has just proved. */
export interface ProvenIdentity {
  readonly identity: Identity;
  /** When the person last logged in at the provider; null where the provider does not say. */
  readonly authenticated_at: Date | null;
  /** The name of the person's session at the provider; null where the provider names none. */
  readonly provider_session: string | null;
  /** Whether the provider says that the person proved more than a password, by `amr` or an `acr` that the operator names. */
  readonly has_factor: boolean;
}

/** Whether the text can be a subject. */
export function isSubject(text: unknown): text is string {
  return typeof text === 'string' && /^[\x20-\x7e]{1,255}$/.test(text);
}

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

/** Whether the text can be one of them: those bytes in base64url. */
export function isLoginSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Whether the browser has stayed away too long. */
export function isStale({ created_at }: Pick<ProviderLogin, 'created_at'>, now: Date): boolean {
  return now.getTime() >= created_at.getTime() + IDENTITY.loginLife;
}

export interface ProviderLoginStore {
  /** Adds a login of a new state. */
  add(login: ProviderLogin): Promise<void>;

  /**
   * Removes and returns the login of this state and this browser: of concurrent calls one gets it, on any number of
   * processes. null when there is none, or it is stale by the database's clock (`isStale`). A state that another
   * browser began stays: a thief of the state cannot use it up.
   */
  take(state_hash: Uint8Array, browser_hash: Uint8Array): Promise<ProviderLogin | null>;

  /** Removes stale logins; returns how many. */
  prune(): Promise<number>;
}

export interface IdentityStore {
  /** The owner of the identity as stored now; null for an identity without an owner. */
  find(identity: Identity): Promise<Owner | null>;

  /**
   * Adds the owner and links the identity to it, both or neither; false when the identity already has an owner, also by
   * a transaction that commits first. Of concurrent calls one adds its owner.
   */
  addOwner(identity: Identity, owner: Owner): Promise<boolean>;
}
