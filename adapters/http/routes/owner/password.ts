import { type ChangePasswordPorts, changePassword } from '../../../../application/accounts/sign-in/change-password.ts';
import { LOGIN } from '../../../../domain/limits.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { passwordChange } from '../../shapes/accounts.ts';

export const changePasswordEndpoint = (ports: ChangePasswordPorts) =>
  endpoint({
    id: 'changePassword',
    method: 'PUT',
    path: '/api/v1/owner/password',
    summary: 'Change the password',
    description:
      'Replaces the password and ends all your other sessions; this session stays. API keys stay valid. Wrong ' +
      `current passwords count as failed logins: after ${LOGIN.attempts} within ${LOGIN.window / MINUTE} minutes the reply is ` +
      'RATE_LIMIT_EXCEEDED.',
    tag: 'Accounts',
    auth: ['legacy_session'],
    body: {
      schema: passwordChange,
      example: { current_password: 'four plain words, spaced', new_password: 'five other words, spaced alike' },
    },
    replies: { 204: { description: 'The password is changed, and every other session has ended.' } },
    problems: ['WEAK_PASSWORD', 'INVALID_CREDENTIALS', 'PASSWORDLESS_ACCOUNT', 'NOT_FOUND'],
    async handle({ caller, credential, body }) {
      await changePassword(ports, caller.owner_id, body, credential?.secret ?? '');
      return { status: 204 };
    },
  });
