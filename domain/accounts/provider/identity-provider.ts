import type { Identity, ProvenIdentity } from './identity.ts';
import type { ProviderLogin } from './provider-login.ts';

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

  /** The values of `acr` that the operator names for a second factor, as a client requests one; none: `amr` alone tells. */
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
