import { type LoginPorts, logIn } from '../../../../../application/accounts/log-in.ts';
import { SESSION } from '../../../../../domain/limits.ts';
import { endpoint } from '../../../endpoint.ts';
import { sessionCookie } from '../../../session-cookie.ts';
import { login, loginReply } from '../../../shapes/accounts.ts';
import { registrationExample } from './register.ts';

export function loginEndpoint(ports: LoginPorts) {
  const { email, password } = registrationExample;
  return endpoint({
    id: 'logIn',
    method: 'POST',
    path: '/api/v1/public/auth/login',
    summary: 'Log in',
    description:
      'Begins a session, which the reply sets as the cookie `__Host-sid` (`sid` on plain http). It ends 7 days after ' +
      'the login, 12 hours after its last request, or at the logout. A session that came with the request ends. ' +
      'Changes by session must come from a page of this service: browsers tell so by themselves, other clients send ' +
      '`Sec-Fetch-Site: same-origin` with the cookie (`curl -c cookies.txt` keeps it, `-b cookies.txt` sends it). After ' +
      '10 failed logins on one email address within a quarter of an hour, whether it has an account or not, further ' +
      'ones are RATE_LIMIT_EXCEEDED; open sessions and API keys go on working.',
    tag: 'Accounts',
    auth: 'none',
    limits: 'signup',
    body: { schema: login, example: { email, password } },
    replies: {
      200: {
        description: 'The session has begun.',
        schema: loginReply,
        example: {
          owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
          email,
          role: 'owner',
          tier: 'free',
          session_expires_at: new Date('2026-02-06T14:30:00.000Z'),
        },
        headers: { 'set-cookie': "The session's cookie: HttpOnly, SameSite=Lax, and Secure on https." },
      },
    },
    problems: ['INVALID_CREDENTIALS'],
    async handle({ body, cookie, sessionCookie: name }) {
      const { owner, session_id, session_expires_at } = await logIn(ports, body, cookie(name));
      const { owner_id, email, role, tier } = owner;
      const headers = { 'set-cookie': sessionCookie(name, session_id, SESSION.absolute) };
      return { status: 200, headers, body: { owner_id, email, role, tier, session_expires_at } };
    },
  });
}
