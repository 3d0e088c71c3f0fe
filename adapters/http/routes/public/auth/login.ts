import { z } from 'zod';
import type { RequiredFactorPorts } from '../../../../../application/accounts/factors/required-factor.ts';
import { capabilitiesOf } from '../../../../../application/accounts/own-account.ts';
import {
  logInByPasskey,
  newChallenge,
  type PasskeyLoginPorts,
  type SentAssertion,
} from '../../../../../application/accounts/passkeys/use-passkey.ts';
import { type LoginPorts, logIn, type PasswordLogin } from '../../../../../application/accounts/sign-in/log-in.ts';
import type { LoggedIn } from '../../../../../application/accounts/sign-in/sessions.ts';
import type { Ports, Settings } from '../../../../../application/ports.ts';
import { type PasskeyAssertion, relyingParty } from '../../../../../domain/accounts/factors/passkey.ts';
import { FACTOR, LOGIN, PASSKEY, SESSION } from '../../../../../domain/limits.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../../domain/time.ts';
import { deviceCookie, passkeyCookie, sessionCookie } from '../../../kit/caller/credentials.ts';
import { type Endpoint, endpoint, type Visit } from '../../../kit/endpoint.ts';
import { login, loginReply } from '../../../shapes/accounts/accounts.ts';
import { capabilities, capabilitiesExample } from '../../../shapes/accounts/capabilities.ts';
import {
  assertionExample,
  passkeyLogin,
  requestOptions,
  requestOptionsExample,
} from '../../../shapes/accounts/passkeys.ts';
import { registrationExample } from './register.ts';

export function loginEndpoints(ports: Ports): readonly Endpoint[] {
  return [loginEndpoint(ports), passkeyOptionsEndpoint(ports), passkeyLoginEndpoint(ports)];
}

export const CHALLENGE_COOKIE = {
  'set-cookie': 'Binds the challenge to this browser: HttpOnly, SameSite=Lax, and Secure on https.',
};

const IDLE_SECONDS = SESSION.idle / SECOND;

export const COOKIES =
  "The session's cookie: HttpOnly, SameSite=Lax, and Secure on https. After a login by password also `__Host-device` " +
  '(`device` on plain http), which gives this browser an allowance of wrong passwords of its own and nothing else.';

function loginEndpoint(ports: LoginPorts) {
  const { email, password } = registrationExample;
  return endpoint({
    id: 'logIn',
    method: 'POST',
    path: '/api/v1/public/auth/login',
    summary: 'Log in',
    description:
      'Begins a session, which the reply sets as the cookie `__Host-sid` (`sid` on plain http). It ends ' +
      `${SESSION.absolute / DAY} days after the login, ${SESSION.idle / HOUR} hours after its last request, ` +
      'or at the logout. A session sent with the request ends. ' +
      'Changes by session must come from a page of this service: browsers prove this by themselves, other clients send ' +
      '`Sec-Fetch-Site: same-origin` with the cookie (`curl -c cookies.txt` keeps it, `-b cookies.txt` sends it). After ' +
      `${LOGIN.attempts} failed logins on one email address within ${LOGIN.window / MINUTE} minutes, ` +
      'with or without an account, further ' +
      'logins are RATE_LIMIT_EXCEEDED; a browser or network that has logged in before counts for itself. Open sessions and API keys stay valid. ' +
      'An account with a second factor also needs its code: without it the reply to the right password is ' +
      `SECOND_FACTOR_REQUIRED. Wrong codes count as failed logins, and ${FACTOR.codesPerWindow} of them within ` +
      `${LOGIN.window / MINUTE} minutes, or ${FACTOR.codesPerDay} a day, are RATE_LIMIT_EXCEEDED for the account.`,
    tag: 'Accounts',
    auth: 'none',
    beginsLogin: true,
    limits: 'signup',
    body: { schema: login, example: { email, password } },
    replies: { 200: sessionReply(email) },
    problems: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED', 'ACCOUNT_SUSPENDED'],
    async handle({ body, network, source, cookie, sessionCookie: name }) {
      return replyWithSession(
        name,
        await logIn(ports, body, { network, source, session: cookie(name), device: cookie(deviceCookie(name)) }),
      );
    },
  });
}

/** The documented reply of every kind of login; the example is of an owner with that email. */
export function sessionReply(email: string | null) {
  return {
    description: 'The session has begun.',
    schema: loginReply,
    example: {
      owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
      email,
      role: 'owner',
      tier: 'free',
      session_expires_at: new Date('2026-02-06T14:30:00.000Z'),
      session_idle_seconds: IDLE_SECONDS,
    },
    headers: { 'set-cookie': COOKIES },
  } as const;
}

/** The Set-Cookie of a session, and of the device where the owner proved the password. */
export function loginCookies(
  name: string,
  { session_id, device_token }: Pick<LoggedIn, 'session_id'> & Partial<PasswordLogin>,
) {
  const session = sessionCookie(name, session_id, SESSION.absolute);
  if (device_token === undefined) return { 'set-cookie': session };
  return { 'set-cookie': [session, sessionCookie(deviceCookie(name), device_token, LOGIN.deviceLife)] };
}

/** The reply that sets the session in the cookie of that name. */
export function replyWithSession(cookieName: string, login: LoggedIn & Partial<PasswordLogin>) {
  const { owner, session_expires_at } = login;
  const { owner_id, email, role, tier } = owner;
  const headers = loginCookies(cookieName, login);
  const session = { session_expires_at, session_idle_seconds: IDLE_SECONDS };
  return { status: 200, headers, body: { owner_id, email, role, tier, ...session } } as const;
}

type Place = { readonly settings: Pick<Settings, 'publicOrigin'> };

/** The Set-Cookie of a challenge. @param session the name of the session's cookie */
export function challengeCookie(session: string, browser_secret: string) {
  return { 'set-cookie': sessionCookie(passkeyCookie(session), browser_secret, PASSKEY.challengeLife) };
}

function passkeyOptionsEndpoint(ports: PasskeyLoginPorts & Place) {
  return endpoint({
    id: 'beginPasskeyLogin',
    method: 'POST',
    path: '/api/v1/public/auth/passkey/options',
    isAddition: true,
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

function passkeyLoginEndpoint(ports: PasskeyLoginPorts & Place) {
  return endpoint({
    id: 'logInByPasskey',
    method: 'POST',
    path: '/api/v1/public/auth/passkey',
    isAddition: true,
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

export function authStatusEndpoint(ports: Pick<Ports, 'quotas' | 'owners' | 'settings'> & RequiredFactorPorts) {
  return endpoint({
    id: 'readAuthStatus',
    method: 'GET',
    path: '/api/v1/public/auth/status',
    summary: 'Read what your credential allows',
    description:
      'Returns the caller and its permissions, and with `include=quota` the remaining units of the daily pools, which ' +
      'all keys of an owner share. It takes no unit of a pool. To an owner it also says who is signed in.',
    tag: 'Accounts',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    withoutFactor: true,
    query: z.strictObject({ include: z.enum(['quota']).optional().describe('`quota` adds the daily pools.') }),
    replies: { 200: { description: 'The credential is valid.', schema: capabilities, example: capabilitiesExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, credential, query }) {
      return { status: 200, body: await capabilitiesOf(ports, caller, credential, query.include === 'quota') };
    },
  });
}
