import { type LoginPorts, logIn } from '../../../../../application/accounts/sign-in/log-in.ts';
import { FACTOR, LOGIN, SESSION } from '../../../../../domain/limits.ts';
import { DAY, HOUR, MINUTE } from '../../../../../domain/time.ts';
import { deviceCookie } from '../../../kit/caller/session-cookie.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { login } from '../../../shapes/accounts/accounts.ts';
import { registrationExample } from './register.ts';
import { replyWithSession, sessionReply } from './session-reply.ts';

export function loginEndpoint(ports: LoginPorts) {
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
