import { changePassword } from '../../../../application/accounts/sign-in/change-password.ts';
import type { LoginPorts } from '../../../../application/accounts/sign-in/log-in.ts';
import { LOGIN } from '../../../../domain/limits.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { deviceCookie } from '../../kit/caller/session-cookie.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { passwordChange, passwordChanged } from '../../shapes/accounts/accounts.ts';
import { loginCookies } from '../public/auth/login.ts';

const headers = { 'set-cookie': 'The cookies of the new session and of the device, as a login sets them.' };

export const changePasswordEndpoint = (ports: LoginPorts) =>
  endpoint({
    id: 'changePassword',
    method: 'PUT',
    path: '/api/v1/owner/password',
    summary: 'Change the password',
    description:
      'Replaces the password and ends all your sessions; the reply sets the cookie of a new one. API keys stay valid ' +
      'unless `revoke_keys` is true. Wrong ' +
      `current passwords count as failed logins: after ${LOGIN.attempts} within ${LOGIN.window / MINUTE} minutes the reply is ` +
      'RATE_LIMIT_EXCEEDED.',
    tag: 'Accounts',
    auth: ['legacy_session'],
    body: {
      schema: passwordChange,
      example: { current_password: 'four plain words, spaced', new_password: 'five other words, spaced alike' },
    },
    replies: {
      200: {
        description: 'With `revoke_keys`: the password is changed, and all sessions and API keys have ended.',
        schema: passwordChanged,
        example: { keys_revoked: 3 },
        headers,
      },
      204: { description: 'The password is changed, and all earlier sessions have ended.', headers },
    },
    problems: ['WEAK_PASSWORD', 'INVALID_CREDENTIALS', 'PASSWORDLESS_ACCOUNT', 'NOT_FOUND'],
    async handle({ caller, credential, body, network, source, cookie, sessionCookie: name }) {
      const client = { network, source, session: credential?.secret ?? '', device: cookie(deviceCookie(name)) };
      const { keys_revoked, ...login } = await changePassword(ports, caller.owner_id, body, client);
      const setting = loginCookies(name, login);
      return body.revoke_keys
        ? { status: 200, headers: setting, body: { keys_revoked } }
        : { status: 204, headers: setting };
    },
  });
