import type { z } from 'zod';
import {
  finishProviderLogin,
  type ProviderAnswer,
} from '../../../../../../application/accounts/finish-provider-login.ts';
import type { Ports } from '../../../../../../application/ports.ts';
import { SESSION } from '../../../../../../domain/limits.ts';
import { endpoint } from '../../../../endpoint.ts';
import { browserCookie, sessionCookie } from '../../../../session-cookie.ts';
import { loginReply, providerAnswer } from '../../../../shapes/accounts.ts';

/** Where the provider sends browsers back to: its redirect URI, after our origin. */
export const CALLBACK = '/api/v1/public/auth/idp/callback';

type CallbackPorts = Pick<Ports, 'identityProvider' | 'providerLogins' | 'identities' | 'clock' | 'transaction'>;

export const providerCallbackEndpoint = (ports: CallbackPorts) =>
  endpoint({
    id: 'finishProviderLogin',
    method: 'GET',
    path: CALLBACK,
    summary: 'Come back from the identity provider',
    description:
      'Where the identity provider sends the browser back to. It begins a session as a login by password does. The ' +
      'state is good once, in the browser that began the login. Where the provider says `error` instead of a code, ' +
      'that is OAUTH_CALLBACK_ERROR.',
    tag: 'Accounts',
    auth: 'none',
    query: providerAnswer,
    replies: {
      200: {
        description: 'The session has begun.',
        schema: loginReply,
        example: {
          owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
          email: null,
          role: 'owner',
          tier: 'free',
          session_expires_at: new Date('2026-02-06T14:30:00.000Z'),
        },
        headers: { 'set-cookie': "The session's cookie: HttpOnly, SameSite=Lax, and Secure on https." },
      },
    },
    problems: ['OAUTH_NOT_CONFIGURED', 'OAUTH_CALLBACK_ERROR', 'INVALID_STATE'],
    async handle({ query, cookie, sessionCookie: name }) {
      const presented = { browserSecret: cookie(browserCookie(name)), session: cookie(name) };
      const { owner, session_id, session_expires_at } = await finishProviderLogin(ports, answerOf(query), presented);
      const { owner_id, email, role, tier } = owner;
      const headers = { 'set-cookie': sessionCookie(name, session_id, SESSION.absolute) };
      return { status: 200, headers, body: { owner_id, email, role, tier, session_expires_at } };
    },
  });

/** An error outweighs a code: no provider sends both. */
function answerOf({ state, code, iss, error }: z.output<typeof providerAnswer>): ProviderAnswer {
  return error === undefined ? { state: state ?? '', code: code ?? '', iss } : { state, error };
}
