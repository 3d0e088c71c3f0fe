import { confirmEmail } from '../../../../../application/accounts/sign-in/confirm-email.ts';
import type { LinkPorts } from '../../../../../application/accounts/sign-in/reset-by-link.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { emailConfirmed, emailToken, TOKEN_EXAMPLE } from '../../../shapes/accounts/mailed-links.ts';

export const confirmEmailEndpoint = (ports: LinkPorts) =>
  endpoint({
    id: 'confirmEmail',
    method: 'POST',
    path: '/api/v1/public/auth/email/confirm',
    summary: 'Confirm an email address by a link',
    description: 'Notes that the owner of the account reads the mail of its address. The link works once.',
    tag: 'Accounts',
    auth: 'none',
    limits: 'signup',
    body: { schema: emailToken, example: { token: TOKEN_EXAMPLE } },
    replies: {
      200: {
        description: 'The address is confirmed.',
        schema: emailConfirmed,
        example: { email_confirmed_at: new Date('2026-01-30T14:40:00.000Z') },
      },
    },
    problems: ['LINK_INVALID'],
    async handle({ body, source }) {
      const email_confirmed_at = await confirmEmail(ports, body.token, source);
      return { status: 200, body: { email_confirmed_at } };
    },
  });
