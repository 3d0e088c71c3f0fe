import type { z } from 'zod';
import {
  beginProviderLogin,
  endProviderSessions,
  finishProviderLogin,
  type ProviderAnswer,
  type ProviderLoginPorts,
} from '../../../../../../application/accounts/provider/provider-login.ts';
import type { LoggedIn } from '../../../../../../application/accounts/sign-in/sessions.ts';
import type { Ports } from '../../../../../../application/ports.ts';
import { IDENTITY } from '../../../../../../domain/limits.ts';
import { Problem } from '../../../../../../domain/problem.ts';
import { browserCookie, sessionCookie } from '../../../../kit/caller/credentials.ts';
import { type Endpoint, endpoint } from '../../../../kit/endpoint.ts';
import { providerAnswer, providerLoginQuery, providerLogout } from '../../../../shapes/accounts/accounts.ts';
import { COOKIES, loginCookies, replyWithSession, sessionReply } from '../login.ts';

export function providerEndpoints(ports: Ports): readonly Endpoint[] {
  return [providerRedirectEndpoint(ports), providerCallbackEndpoint(ports), providerLogoutEndpoint(ports)];
}

const providerLogoutEndpoint = (ports: Pick<Ports, 'identityProvider' | 'identities' | 'transaction'>) =>
  endpoint({
    id: 'endProviderSessions',
    method: 'POST',
    path: '/api/v1/public/auth/idp/backchannel-logout',
    isAddition: true,
    summary: 'End the sessions of a person who logged out at the provider',
    description:
      'For the identity provider (OpenID Connect Back-Channel Logout 1.0): register this address as its back-channel ' +
      'logout URI. The sessions of the `sid` or `sub` in the logout token end.',
    tag: 'Accounts',
    auth: 'none',
    body: {
      schema: providerLogout,
      example: { logout_token: 'eyJ0eXAiOiJsb2dvdXQrand0In0.e30.c2ln' },
      contentType: 'application/x-www-form-urlencoded',
    },
    replies: { 200: { description: 'None of these sessions is open any more.' } },
    problems: ['OAUTH_NOT_CONFIGURED', 'OAUTH_CALLBACK_ERROR'],
    async handle({ body, source }) {
      await endProviderSessions(ports, body.logout_token, source);
      return { status: 200 };
    },
  });

/** The path of the redirect URI that is registered at the provider. */
const CALLBACK = '/api/v1/public/auth/idp/callback';

const providerCallbackEndpoint = (ports: ProviderLoginPorts) =>
  endpoint({
    id: 'finishProviderLogin',
    method: 'GET',
    path: CALLBACK,
    summary: 'Finish a login through the identity provider',
    description:
      'The redirect URI of the identity provider. It begins a session, like a login by password. The ' +
      'state is valid once, in the browser that began the login. When the provider sends `error` instead of a code, ' +
      'the reply is OAUTH_CALLBACK_ERROR. A browser that shows the reply to a person (`Accept` prefers HTML to JSON) is ' +
      'redirected to the page at `/` instead, also from a refusal.',
    tag: 'Accounts',
    auth: 'none',
    query: providerAnswer,
    replies: {
      200: sessionReply(null),
      303: {
        description:
          'For browsers: to the page at `/`, with the cookie of the session, or with the code of the refusal.',
        headers: { location: 'A view of the page.', 'set-cookie': COOKIES },
      },
    },
    problems: ['OAUTH_NOT_CONFIGURED', 'OAUTH_CALLBACK_ERROR', 'INVALID_STATE', 'ACCOUNT_SUSPENDED'],
    async handle({ query, cookie, sessionCookie: name, network, source, prefers }) {
      const presented = { browserSecret: cookie(browserCookie(name)), session: cookie(name) };
      const login = finishProviderLogin(ports, answerOf(query), presented, { network, source });
      if (!prefers('text/html')) return replyWithSession(name, await login);
      return { status: 303, headers: await login.then((begun) => signedIn(name, begun), notSignedIn) };
    },
  });

const providerRedirectEndpoint = (ports: Pick<Ports, 'identityProvider' | 'providerLogins' | 'clock'>) =>
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
      'has named the values of `acr` that name one; it decides whether it complies. So a caller meets FACTOR_REQUIRED.',
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

/** The page learns of the session by the auth status, since scripts cannot read the cookie. */
function signedIn(name: string, login: LoggedIn) {
  return { location: '/#/signed-in', ...loginCookies(name, login) };
}

function notSignedIn(error: unknown) {
  if (!(error instanceof Problem)) throw error;
  return { location: `/#/sign-in?refused=${error.code}` };
}

/** An error takes precedence over a code; no provider sends both. */
function answerOf({ state, code, iss, error }: z.output<typeof providerAnswer>): ProviderAnswer {
  return error === undefined ? { state: state ?? '', code: code ?? '', iss } : { state, error };
}
