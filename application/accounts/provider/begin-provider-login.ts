import type { AuthorizationRequest } from '../../../domain/accounts/provider/identity-provider.ts';
import { isLoginSecret } from '../../../domain/accounts/provider/provider-login.ts';
import type { Ports } from '../../ports.ts';
import { configured } from './configured.ts';
import { hashOfLoginSecret, makeLoginSecret } from './login-secret.ts';

export interface BegunLogin {
  /** The provider's page to redirect the browser to. */
  readonly location: string;
  /** The secret that the browser stores, and sends with the provider's answer. */
  readonly browser_secret: string;
}

/**
 * Begins a login through the identity provider (interface.md 4.5, settled.md section 8). Every login has its own state,
 * so that a browser can have several under way.
 * @param asked `is_fresh`: the person has to log in at the provider anew, to prove to be the owner; `wants_factor`: with a
 * second factor, if the operator has said how the provider calls that
 * @param presented the secret that came with the request; the browser keeps a valid one
 * @throws Problem OAUTH_NOT_CONFIGURED, SERVICE_UNAVAILABLE
 */
export async function beginProviderLogin(
  { identityProvider, providerLogins, clock }: Pick<Ports, 'identityProvider' | 'providerLogins' | 'clock'>,
  asked: Pick<AuthorizationRequest, 'redirect_uri' | 'is_fresh' | 'wants_factor'>,
  presented: string | undefined,
): Promise<BegunLogin> {
  const provider = configured(identityProvider);
  const browser_secret = presented !== undefined && isLoginSecret(presented) ? presented : makeLoginSecret();
  const [state, nonce] = [makeLoginSecret(), makeLoginSecret()];
  const { location, code_verifier } = await provider.authorization({ ...asked, state, nonce });
  await providerLogins.add({
    state_hash: hashOfLoginSecret(state),
    browser_hash: hashOfLoginSecret(browser_secret),
    nonce,
    code_verifier,
    redirect_uri: asked.redirect_uri,
    created_at: await clock.now(),
    is_fresh: asked.is_fresh,
  });
  return { location, browser_secret };
}
