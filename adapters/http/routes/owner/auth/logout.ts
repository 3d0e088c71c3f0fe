import { logOut } from '../../../../../application/accounts/sign-in/log-out.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { clearedSessionCookie } from '../../../kit/caller/session-cookie.ts';
import { endpoint } from '../../../kit/endpoint.ts';

export function logoutEndpoint(ports: Pick<Ports, 'sessions'>) {
  return endpoint({
    id: 'logOut',
    method: 'POST',
    path: '/api/v1/owner/auth/logout',
    summary: 'Log out',
    description: 'Ends the session for good: no request that is in flight can bring it back.',
    tag: 'Accounts',
    auth: ['legacy_session'],
    replies: {
      204: {
        description: 'The session is destroyed.',
        headers: { 'set-cookie': 'Has the browser forget the cookie.' },
      },
    },
    problems: [],
    async handle({ credential, sessionCookie }) {
      if (credential) await logOut(ports, credential.secret);
      return { status: 204, headers: { 'set-cookie': clearedSessionCookie(sessionCookie) } };
    },
  });
}
