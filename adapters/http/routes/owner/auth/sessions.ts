import { z } from 'zod';
import {
  type PasskeyLoginPorts,
  reauthenticateByPasskey,
} from '../../../../../application/accounts/passkeys/use-passkey.ts';
import {
  type ReauthenticationPorts,
  reauthenticate,
} from '../../../../../application/accounts/sign-in/reauthenticate.ts';
import {
  endOtherSessions,
  endSession,
  listSessions,
  logOut,
} from '../../../../../application/accounts/sign-in/sessions.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { LOGIN, SESSION } from '../../../../../domain/limits.ts';
import { MINUTE } from '../../../../../domain/time.ts';
import { clearedSessionCookie, deviceCookie } from '../../../kit/caller/credentials.ts';
import { type Endpoint, endpoint } from '../../../kit/endpoint.ts';
import { reauthentication } from '../../../shapes/accounts/accounts.ts';
import { sessionList, sessionListExample } from '../../../shapes/accounts/factors.ts';
import { replyWithSession, sentAssertion, sessionReply } from '../../public/auth/login.ts';
import { registrationExample } from '../../public/auth/register.ts';

export function sessionEndpoints(ports: Ports): readonly Endpoint[] {
  return [listSessionsEndpoint(ports), endSessionEndpoint(ports), endOtherSessionsEndpoint(ports)];
}

const sessionPath = z.strictObject({
  session_id: z
    .string()
    .meta({ description: 'As the list of sessions names it.', example: '9f86d081884c7d659a2feaa0' }),
});

const endedSessions = z
  .strictObject({ sessions_ended: z.int().describe('How many have ended.') })
  .meta({ id: 'EndedSessions' });

const tag = 'Accounts';
const auth = ['owner_bearer', 'legacy_session'] as const;
const ALL_SESSIONS = '/api/v1/owner/auth/sessions';

function listSessionsEndpoint(ports: Pick<Ports, 'sessions' | 'clock'>) {
  return endpoint({
    id: 'listSessions',
    method: 'GET',
    path: ALL_SESSIONS,
    isAddition: true,
    summary: 'List your sessions',
    description:
      `Lists your open sessions, the last used first. You have at most ${SESSION.perOwner}: a further login ends the ` +
      'one that was unused for longest.',
    tag,
    auth,
    replies: {
      200: {
        description: 'All sessions: `next_cursor` is always null.',
        schema: sessionList,
        example: sessionListExample,
      },
    },
    problems: [],
    async handle({ caller, credential }) {
      return {
        status: 200,
        body: { items: await listSessions(ports, caller.owner_id, credential), next_cursor: null },
      };
    },
  });
}

function endSessionEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'endSession',
    method: 'DELETE',
    path: `${ALL_SESSIONS}/{session_id}`,
    isAddition: true,
    summary: 'End a session',
    description: 'Ends it permanently, also the one of the request; no request in flight can restore it.',
    tag,
    auth,
    params: sessionPath,
    replies: { 204: { description: 'The session has ended.' } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params, source }) {
      await endSession(ports, caller.owner_id, params.session_id, source);
      return { status: 204 };
    },
  });
}

function endOtherSessionsEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'endOtherSessions',
    method: 'DELETE',
    path: ALL_SESSIONS,
    isAddition: true,
    summary: 'End all other sessions',
    description: 'Ends all your sessions except the one of the request. A request by bearer token ends all of them.',
    tag,
    auth,
    replies: {
      200: { description: 'The others have ended.', schema: endedSessions, example: { sessions_ended: 2 } },
    },
    problems: [],
    async handle({ caller, credential, source }) {
      const sessions_ended = await endOtherSessions(ports, caller.owner_id, credential, source);
      return { status: 200, body: { sessions_ended } };
    },
  });
}

/** Not `cookies`, which are those of the whole domain, other services of it included. */
const STORED_DATA = '"cache", "storage"';

export function reauthenticateEndpoint(ports: ReauthenticationPorts & PasskeyLoginPorts) {
  const { email, password } = registrationExample;
  return endpoint({
    id: 'reauthenticate',
    method: 'POST',
    path: '/api/v1/owner/auth/reauthenticate',
    isAddition: true,
    summary: 'Log in again',
    description:
      'Proves the password again, as REAUTHENTICATION_REQUIRED asks for, and the second factor of an account that has one. ' +
      'The session ends, and the reply sets the ' +
      `cookie of a new one. Wrong passwords count as failed logins: after ${LOGIN.attempts} within ` +
      `${LOGIN.window / MINUTE} minutes the reply is RATE_LIMIT_EXCEEDED. An account of the identity provider opens ` +
      '`GET /api/v1/public/auth/idp?fresh=true` in the browser instead; where it has a second factor here, it sends its ' +
      'code alone, soon after that login. A passkey proves both: answer a challenge of ' +
      '`POST /api/v1/public/auth/passkey/options`.',
    tag: 'Accounts',
    auth: ['legacy_session'],
    withoutFactor: true,
    body: { schema: reauthentication, example: { password } },
    replies: { 200: sessionReply(email) },
    problems: [
      'MISDIRECTED_REQUEST',
      'INVALID_CREDENTIALS',
      'SECOND_FACTOR_REQUIRED',
      'PASSWORDLESS_ACCOUNT',
      'REAUTHENTICATION_REQUIRED',
    ],
    async handle({ caller, credential, body, network, source, cookie, host, sessionCookie: name }) {
      const { passkey, ...proof } = body;
      if (passkey !== undefined) {
        const sent = sentAssertion(ports, passkey, { host, cookie, sessionCookie: name });
        const by = { owner_id: caller.owner_id, session: credential?.secret ?? '', source };
        return replyWithSession(name, await reauthenticateByPasskey(ports, by, sent));
      }
      const client = { network, source, session: credential?.secret ?? '', device: cookie(deviceCookie(name)) };
      return replyWithSession(name, await reauthenticate(ports, caller.owner_id, proof, client));
    },
  });
}

export function logoutEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'logOut',
    method: 'POST',
    path: '/api/v1/owner/auth/logout',
    summary: 'Log out',
    description: 'Ends the session permanently; no request in flight can restore it.',
    tag: 'Accounts',
    auth: ['legacy_session'],
    withoutFactor: true,
    replies: {
      204: {
        description: 'The session is destroyed.',
        headers: {
          'set-cookie': 'Deletes the cookie in the browser.',
          'clear-site-data': 'Removes what the pages of the service stored in the browser.',
        },
      },
    },
    problems: [],
    async handle({ caller, credential, sessionCookie, source }) {
      if (credential) await logOut(ports, caller.owner_id, credential.secret, source);
      const cookie = clearedSessionCookie(sessionCookie);
      return { status: 204, headers: { 'set-cookie': cookie, 'clear-site-data': STORED_DATA } };
    },
  });
}
