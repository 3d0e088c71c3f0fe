import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

export const WEBHOOKS = {
  WEBHOOK_ALLOW_PRIVATE: of(
    shape.boolean,
    'false',
    'Whether webhooks may also use http, and reach loopback, private networks and their names: for trials, and where ' +
      'all owners are your own. Link-local addresses, and with them the metadata of clouds, are never reached.',
  ),
  WEBHOOK_PROXY: may(
    shape.httpProxy,
    'An HTTP proxy through which all webhooks are sent (CONNECT); it resolves their names, and has to refuse private ' +
      'addresses itself.',
    'webhooks are sent directly',
  ),
} as const;

export const MAILS = {
  SMTP_URL: may(
    shape.smtpUrl,
    'The server that takes our mails. `smtp:` begins with STARTTLS, which may be missing only on a loopback host; `smtps:` ' +
      'is TLS from the beginning. Needs MAIL_FROM and PUBLIC_URL.',
    'no mail is sent',
  ),
  MAIL_FROM: may(shape.mailbox, 'The sender of our mails.', 'as SMTP_URL'),
} as const;
