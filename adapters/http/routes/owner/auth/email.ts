import { requestConfirmation } from '../../../../../application/accounts/sign-in/password-reset.ts';
import type { MailPorts } from '../../../../../application/mail/queue-mail.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { MAIL } from '../../../../../domain/limits.ts';
import { HOUR } from '../../../../../domain/time.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { confirmationSent } from '../../../shapes/accounts/accounts.ts';
import { registrationExample } from '../../public/auth/register.ts';

export const requestConfirmationEndpoint = (ports: MailPorts & Pick<Ports, 'owners' | 'transaction'>) =>
  endpoint({
    id: 'requestEmailConfirmation',
    method: 'POST',
    path: '/api/v1/owner/auth/email/confirmation',
    summary: 'Ask for a mail that confirms your address',
    description:
      `Sends a link to the address of your account, which works once, for ${MAIL.confirmLife / HOUR} hours; a newer one ` +
      'replaces it. A confirmed address gets no mail. An address gets at most ' +
      `${MAIL.onRequestPerHour} mails with a link in an hour; further requests are RATE_LIMIT_EXCEEDED.`,
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    replies: {
      202: {
        description: 'A mail is on its way, or the address was confirmed before.',
        schema: confirmationSent,
        example: { email: registrationExample.email, email_confirmed_at: null },
      },
    },
    problems: ['MAIL_NOT_CONFIGURED', 'PASSWORDLESS_ACCOUNT'],
    async handle({ caller, source }) {
      return { status: 202, body: await requestConfirmation(ports, caller.owner_id, source) };
    },
  });
