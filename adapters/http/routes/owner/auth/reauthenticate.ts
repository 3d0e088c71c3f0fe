import {
  type ReauthenticationPorts,
  reauthenticate,
} from '../../../../../application/accounts/sign-in/reauthenticate.ts';
import { LOGIN } from '../../../../../domain/limits.ts';
import { MINUTE } from '../../../../../domain/time.ts';
import { deviceCookie } from '../../../kit/caller/session-cookie.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { reauthentication } from '../../../shapes/accounts.ts';
import { registrationExample } from '../../public/auth/register.ts';
import { replyWithSession, sessionReply } from '../../public/auth/session-reply.ts';

export function reauthenticateEndpoint(ports: ReauthenticationPorts) {
  const { email, password } = registrationExample;
  return endpoint({
    id: 'reauthenticate',
    method: 'POST',
    path: '/api/v1/owner/auth/reauthenticate',
    summary: 'Log in again',
    description:
      'Proves the password again, as REAUTHENTICATION_REQUIRED asks for, and the second factor of an account that has one. ' +
      'The session ends, and the reply sets the ' +
      `cookie of a new one. Wrong passwords count as failed logins: after ${LOGIN.attempts} within ` +
      `${LOGIN.window / MINUTE} minutes the reply is RATE_LIMIT_EXCEEDED. An account of the identity provider opens ` +
      '`GET /api/v1/public/auth/idp?fresh=true` in the browser instead; where it has a second factor here, it sends its ' +
      'code alone, soon after that login.',
    tag: 'Accounts',
    auth: ['legacy_session'],
    body: { schema: reauthentication, example: { password } },
    replies: { 200: sessionReply(email) },
    problems: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED', 'PASSWORDLESS_ACCOUNT', 'REAUTHENTICATION_REQUIRED'],
    async handle({ caller, credential, body, network, source, cookie, sessionCookie: name }) {
      const client = { network, source, session: credential?.secret ?? '', device: cookie(deviceCookie(name)) };
      return replyWithSession(name, await reauthenticate(ports, caller.owner_id, body, client));
    },
  });
}
