import type { Identity } from './identity.ts';
import type { ProviderLogin } from './provider-login.ts';

/** What a browser is sent to the provider with. */
export interface AuthorizationRequest extends Pick<ProviderLogin, 'redirect_uri' | 'nonce'> {
  readonly state: string;
}

/** What the provider sent the browser back with. */
export interface AuthorizationAnswer {
  readonly code: string;
  /** The issuer of the answer (RFC 9207); undefined where the answer names none. */
  readonly iss: string | undefined;
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
   * The address to send the browser to, and the verifier whose hash goes with it (PKCE S256).
   * @throws Problem SERVICE_UNAVAILABLE when the provider's metadata is unavailable
   */
  authorization(request: AuthorizationRequest): Promise<Pick<ProviderLogin, 'code_verifier'> & { location: string }>;

  /**
   * Redeems the code of an answer to that login and proves whose it is.
   * @throws Problem OAUTH_CALLBACK_ERROR when the provider refuses, fails, or sends an invalid reply
   */
  redeem(answer: AuthorizationAnswer, login: ProviderLogin): Promise<Identity>;
}
