import * as shape from '../shapes.ts';
import { may } from '../variable.ts';

/** How mails are sent. */
export const MAILS = {
  SMTP_URL: may(
    shape.smtpUrl,
    'The server that takes our mails. `smtp:` begins with STARTTLS, which may be missing only on a loopback host; `smtps:` ' +
      'is TLS from the beginning. Needs MAIL_FROM and PUBLIC_URL.',
    'no mail is sent',
  ),
  MAIL_FROM: may(shape.mailbox, 'The sender of our mails.', 'as SMTP_URL'),
} as const;
