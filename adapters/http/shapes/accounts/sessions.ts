import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';
import { pageOf } from '../paging.ts';
import { clientKind } from '../words.ts';
import { sessionFactor } from './factors.ts';

export const sessionPath = z.strictObject({
  session_id: z
    .string()
    .meta({ description: 'As the list of sessions names it.', example: '9f86d081884c7d659a2feaa0' }),
});

const session = z
  .strictObject({
    session_id: z.string().describe('Names the session; it gives no access.'),
    created_at: instant().describe('When the login was.'),
    authenticated_at: instant()
      .nullable()
      .describe('When you last proved to be the owner; `null` where the identity provider does not say.'),
    last_used_at: instant().describe('Updated about once a minute.'),
    network: z
      .string()
      .nullable()
      .describe('Where the login came from: a hash, equal for equal networks, as in security events.'),
    client: clientKind.nullable().describe('The kind of client that logged in.'),
    factor: sessionFactor.nullable().describe('What it was opened with besides a password; `null`: nothing.'),
    current: z.boolean().describe('Whether this request was sent with it.'),
  })
  .meta({ id: 'Session' });

export const sessionList = pageOf(session, 'SessionPage');

export const sessionListExample = {
  items: [
    {
      session_id: '9f86d081884c7d659a2feaa0',
      created_at: new Date('2026-01-30T14:30:00.000Z'),
      authenticated_at: new Date('2026-01-30T14:30:00.000Z'),
      last_used_at: new Date('2026-01-30T15:05:00.000Z'),
      network: '6c1f0f9a44d1b2e3',
      client: 'browser',
      factor: 'totp',
      current: true,
    },
  ],
  next_cursor: null,
} as const;

export const endedSessions = z
  .strictObject({ sessions_ended: z.int().describe('How many have ended.') })
  .meta({ id: 'EndedSessions' });
