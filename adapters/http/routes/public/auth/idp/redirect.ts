import { beginProviderLogin } from '../../../../../../application/accounts/provider/begin-provider-login.ts';
import type { Ports } from '../../../../../../application/ports.ts';
import { IDENTITY } from '../../../../../../domain/limits.ts';
import { browserCookie, sessionCookie } from '../../../../kit/caller/session-cookie.ts';
import { endpoint } from '../../../../kit/endpoint.ts';
import { providerLoginQuery } from '../../../../shapes/accounts/accounts.ts';
import { CALLBACK } from './callback.ts';

export const providerRedirectEndpoint = (ports: Pick<Ports, 'identityProvider' | 'providerLogins' | 'clock'>) =>
  endpoint({
    id: 'startProviderLogin',
    method: 'GET',
    path: '/api/v1/public/auth/idp',
    summary: 'Log in through the identity provider',
    description:
      'For browsers: redirects to the login page of the identity provider, which redirects back to ' +
      `\`${CALLBACK}\`. The browser has 10 minutes to return, and must send the cookie \`__Host-idp\` (\`idp\` on ` +
      'plain http) that this reply sets. The first login creates the account. With `fresh=true` the person logs in at ' +
      'the provider again, even if the provider knows the browser: so an account without a password meets ' +
      'REAUTHENTICATION_REQUIRED. With `factor=true` the provider is asked for a second factor too, where the operator ' +
      'has named the values of `acr` that tell of one; it decides whether it complies. So an admin meets FACTOR_REQUIRED.',
    tag: 'Accounts',
    auth: 'none',
    beginsLogin: true,
    query: providerLoginQuery,
    replies: {
      302: {
        description: 'Redirects to the identity provider.',
        headers: {
          location: "The provider's authorization page, with a state, a nonce and a PKCE challenge (S256).",
          'set-cookie': 'Binds the login to this browser: HttpOnly, SameSite=Lax, and Secure on https.',
        },
      },
    },
    problems: ['OAUTH_NOT_CONFIGURED'],
    async handle({ query, cookie, origin, sessionCookie: session }) {
      const name = browserCookie(session);
      const { fresh: is_fresh = false, factor: wants_factor = false } = query;
      const login = { redirect_uri: `${origin}${CALLBACK}`, is_fresh, wants_factor };
      const { location, browser_secret } = await beginProviderLogin(ports, login, cookie(name));
      const headers = { location, 'set-cookie': sessionCookie(name, browser_secret, IDENTITY.loginLife) };
      return { status: 302, headers };
    },
  });
