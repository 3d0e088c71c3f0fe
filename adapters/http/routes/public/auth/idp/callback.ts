import type { z } from 'zod';
import {
  finishProviderLogin,
  type ProviderAnswer,
  type ProviderLoginPorts,
} from '../../../../../../application/accounts/provider/finish-provider-login.ts';
import type { LoggedIn } from '../../../../../../application/accounts/sign-in/begin-session.ts';
import { Problem } from '../../../../../../domain/problem.ts';
import { browserCookie } from '../../../../kit/caller/session-cookie.ts';
import { endpoint } from '../../../../kit/endpoint.ts';
import { providerAnswer } from '../../../../shapes/accounts/accounts.ts';
import { COOKIES, loginCookies, replyWithSession, sessionReply } from '../session-reply.ts';

/** The path of the redirect URI that is registered at the provider. */
export const CALLBACK = '/api/v1/public/auth/idp/callback';

export const providerCallbackEndpoint = (ports: ProviderLoginPorts) =>
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
