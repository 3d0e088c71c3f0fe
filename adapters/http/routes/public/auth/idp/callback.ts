import type { z } from 'zod';
import {
  finishProviderLogin,
  type ProviderAnswer,
  type ProviderLoginPorts,
} from '../../../../../../application/accounts/provider/finish-provider-login.ts';
import { browserCookie } from '../../../../kit/caller/session-cookie.ts';
import { endpoint } from '../../../../kit/endpoint.ts';
import { providerAnswer } from '../../../../shapes/accounts.ts';
import { replyWithSession, sessionReply } from '../session-reply.ts';

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
      'the reply is OAUTH_CALLBACK_ERROR.',
    tag: 'Accounts',
    auth: 'none',
    query: providerAnswer,
    replies: { 200: sessionReply(null) },
    problems: ['OAUTH_NOT_CONFIGURED', 'OAUTH_CALLBACK_ERROR', 'INVALID_STATE', 'ACCOUNT_SUSPENDED'],
    async handle({ query, cookie, sessionCookie: name, network, source }) {
      const presented = { browserSecret: cookie(browserCookie(name)), session: cookie(name) };
      return replyWithSession(name, await finishProviderLogin(ports, answerOf(query), presented, { network, source }));
    },
  });

/** An error takes precedence over a code; no provider sends both. */
function answerOf({ state, code, iss, error }: z.output<typeof providerAnswer>): ProviderAnswer {
  return error === undefined ? { state: state ?? '', code: code ?? '', iss } : { state, error };
}
