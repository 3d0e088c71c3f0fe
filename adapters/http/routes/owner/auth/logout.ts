import { logOut } from '../../../../../application/accounts/sign-in/log-out.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { clearedSessionCookie } from '../../../kit/caller/session-cookie.ts';
import { endpoint } from '../../../kit/endpoint.ts';

/** Not `cookies`, which are those of the whole domain, other services of it included. */
const STORED_DATA = '"cache", "storage"';

export function logoutEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'logOut',
    method: 'POST',
    path: '/api/v1/owner/auth/logout',
    summary: 'Log out',
    description: 'Ends the session permanently; no request in flight can restore it.',
    tag: 'Accounts',
    auth: ['legacy_session'],
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
