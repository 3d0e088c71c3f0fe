import {
  confirmEmail,
  type LinkPorts,
  type ResetPorts,
  type ResetRequestPorts,
  requestConfirmation,
  requestReset,
  resetByLink,
} from '../../../../../application/accounts/sign-in/password-reset.ts';
import type { MailPorts } from '../../../../../application/mail/queue-mail.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { MAIL } from '../../../../../domain/limits.ts';
import { HOUR, MINUTE } from '../../../../../domain/time.ts';
import { type Endpoint, endpoint } from '../../../kit/endpoint.ts';
import {
  confirmationSent,
  emailConfirmed,
  emailToken,
  resetAccepted,
  resetConfirmation,
  resetDone,
  resetRequest,
  TOKEN_EXAMPLE,
} from '../../../shapes/accounts/accounts.ts';
import { registrationExample } from './register.ts';

export function mailedLinkEndpoints(ports: Ports): readonly Endpoint[] {
  return [requestResetEndpoint(ports), confirmResetEndpoint(ports), confirmEmailEndpoint(ports)];
}

const confirmEmailEndpoint = (ports: LinkPorts) =>
  endpoint({
    id: 'confirmEmail',
    method: 'POST',
    path: '/api/v1/public/auth/email/confirm',
    isAddition: true,
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

const requestResetEndpoint = (ports: ResetRequestPorts) =>
  endpoint({
    id: 'requestPasswordReset',
    method: 'POST',
    path: '/api/v1/public/auth/password-reset',
    isAddition: true,
    summary: 'Ask for a mail that resets a password',
    description:
      'Sends a link to the address, if it has an account with a password that is not suspended. The reply, and the time ' +
      `that it takes, do not show whether it has. The link works once, for ${MAIL.resetLife / MINUTE} minutes; a newer one ` +
      `replaces it. An address gets at most ${MAIL.onRequestPerHour} mails with a link in an hour, with or without an ` +
      'account; further requests are RATE_LIMIT_EXCEEDED.',
    tag: 'Accounts',
    auth: 'none',
    limits: 'signup',
    body: { schema: resetRequest, example: { email: registrationExample.email } },
    replies: {
      202: {
        description: 'If there is such an account, a mail is on its way.',
        schema: resetAccepted,
        example: { accepted: true },
      },
    },
    problems: ['MAIL_NOT_CONFIGURED'],
    async handle({ body, source }) {
      await requestReset(ports, body.email, source);
      return { status: 202, body: { accepted: true as const } };
    },
  });

const confirmResetEndpoint = (ports: ResetPorts) =>
  endpoint({
    id: 'confirmPasswordReset',
    method: 'POST',
    path: '/api/v1/public/auth/password-reset/confirm',
    isAddition: true,
    summary: 'Choose a new password by a link',
    description:
      'Replaces the password of the account of the link, and ends all its sessions. It begins no session: log in with ' +
      'the new password, as ever. API keys stay valid unless `revoke_keys` is true. A link works once, and not after ' +
      'another change of the password; an operator can make one too, without mail.',
    tag: 'Accounts',
    auth: 'none',
    limits: 'signup',
    body: {
      schema: resetConfirmation,
      example: { token: TOKEN_EXAMPLE, new_password: 'five other words, spaced alike' },
    },
    replies: {
      200: {
        description: 'The password is changed, and all sessions have ended.',
        schema: resetDone,
        example: { sessions_ended: 2, keys_revoked: 0 },
      },
    },
    problems: ['LINK_INVALID', 'WEAK_PASSWORD'],
    async handle({ body, network, source }) {
      return { status: 200, body: await resetByLink(ports, body, { network, source }) };
    },
  });

export const requestConfirmationEndpoint = (ports: MailPorts & Pick<Ports, 'owners' | 'transaction'>) =>
  endpoint({
    id: 'requestEmailConfirmation',
    method: 'POST',
    path: '/api/v1/owner/auth/email/confirmation',
    isAddition: true,
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
