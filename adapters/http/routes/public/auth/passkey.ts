import {
  logInByPasskey,
  type PasskeyLoginPorts,
} from '../../../../../application/accounts/passkeys/log-in-by-passkey.ts';
import { newChallenge } from '../../../../../application/accounts/passkeys/passkey-challenge.ts';
import type { SentAssertion } from '../../../../../application/accounts/passkeys/prove-passkey.ts';
import type { Settings } from '../../../../../application/ports.ts';
import type { PasskeyAssertion } from '../../../../../domain/accounts/factors/passkey-verifier.ts';
import { relyingParty } from '../../../../../domain/accounts/factors/relying-party.ts';
import { PASSKEY } from '../../../../../domain/limits.ts';
import { MINUTE } from '../../../../../domain/time.ts';
import { passkeyCookie, sessionCookie } from '../../../kit/caller/session-cookie.ts';
import { endpoint, type Visit } from '../../../kit/endpoint.ts';
import {
  assertionExample,
  passkeyLogin,
  requestOptions,
  requestOptionsExample,
} from '../../../shapes/accounts/passkeys.ts';
import { replyWithSession, sessionReply } from './session-reply.ts';

type Place = { readonly settings: Pick<Settings, 'publicOrigin'> };

export const CHALLENGE_COOKIE = {
  'set-cookie': 'Binds the challenge to this browser: HttpOnly, SameSite=Lax, and Secure on https.',
};

/** The Set-Cookie of a challenge. @param session the name of the session's cookie */
export function challengeCookie(session: string, browser_secret: string) {
  return { 'set-cookie': sessionCookie(passkeyCookie(session), browser_secret, PASSKEY.challengeLife) };
}

export function passkeyOptionsEndpoint(ports: PasskeyLoginPorts & Place) {
  return endpoint({
    id: 'beginPasskeyLogin',
    method: 'POST',
    path: '/api/v1/public/auth/passkey/options',
    summary: 'Begin a login by passkey',
    description:
      'Returns the argument of `navigator.credentials.get` for a login by passkey, or for logging in again. The challenge ' +
      `is accepted once, within ${PASSKEY.challengeLife / MINUTE} minutes, with the cookie \`__Host-passkey\` (\`passkey\` ` +
      'on plain http) that this reply sets. Passkeys are bound to the host of PUBLIC_URL, or to `localhost`: for an IP ' +
      'address the reply is MISDIRECTED_REQUEST, and names the address to open.',
    tag: 'Accounts',
    auth: 'none',
    beginsLogin: true,
    limits: 'signup',
    replies: {
      200: {
        description: 'The challenge.',
        schema: requestOptions,
        example: requestOptionsExample,
        headers: CHALLENGE_COOKIE,
      },
    },
    problems: ['MISDIRECTED_REQUEST'],
    async handle({ host, cookie, sessionCookie: session }) {
      const { id: rpId } = relyingParty(ports.settings.publicOrigin, host);
      const name = passkeyCookie(session);
      const { challenge, browser_secret } = await newChallenge(ports, 'login', null, cookie(name));
      const options = { challenge, rpId, timeout: PASSKEY.challengeLife, allowCredentials: [] };
      return {
        status: 200,
        headers: challengeCookie(session, browser_secret),
        body: { ...options, userVerification: 'required' as const },
      };
    },
  });
}

export function passkeyLoginEndpoint(ports: PasskeyLoginPorts & Place) {
  return endpoint({
    id: 'logInByPasskey',
    method: 'POST',
    path: '/api/v1/public/auth/passkey',
    summary: 'Log in by passkey',
    description:
      'Begins a session by a passkey alone, without email and password: it verifies its user, so it is a second factor ' +
      'as well. A session sent with the request ends.',
    tag: 'Accounts',
    auth: 'none',
    beginsLogin: true,
    limits: 'signup',
    body: { schema: passkeyLogin, example: { passkey: assertionExample } },
    replies: { 200: sessionReply('ada@example.com') },
    problems: ['INVALID_CREDENTIALS', 'ACCOUNT_SUSPENDED', 'MISDIRECTED_REQUEST'],
    async handle({ body, source, cookie, host, sessionCookie: name }) {
      const sent = sentAssertion(ports, body.passkey, { host, cookie, sessionCookie: name });
      return replyWithSession(name, await logInByPasskey(ports, sent, cookie(name), source));
    },
  });
}

/** The answer of an authenticator, with the place and the browser that it was asked for. */
export function sentAssertion(
  { settings }: Place,
  answer: PasskeyAssertion,
  { host, cookie, sessionCookie: name }: Pick<Visit, 'host' | 'cookie' | 'sessionCookie'>,
): SentAssertion {
  return { answer, place: relyingParty(settings.publicOrigin, host), browserSecret: cookie(passkeyCookie(name)) };
}
