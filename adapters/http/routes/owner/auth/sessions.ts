import { z } from 'zod';
import { endOtherSessions, endSession, listSessions } from '../../../../../application/accounts/sign-in/sessions.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { SESSION } from '../../../../../domain/limits.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { sessionList, sessionListExample } from '../../../shapes/accounts/factors.ts';

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

export function listSessionsEndpoint(ports: Pick<Ports, 'sessions' | 'clock'>) {
  return endpoint({
    id: 'listSessions',
    method: 'GET',
    path: ALL_SESSIONS,
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

export function endSessionEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'endSession',
    method: 'DELETE',
    path: `${ALL_SESSIONS}/{session_id}`,
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

export function endOtherSessionsEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'endOtherSessions',
    method: 'DELETE',
    path: ALL_SESSIONS,
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
