import { sendMails } from '../../application/mail/send-mails.ts';
import { type Mailbox, type MailboxOptions, openMailbox, type ReceivedMail } from './mailbox.ts';
import { openService, type ServiceOptions, type StorageName, type TestService } from './service.ts';

/** The address of the service in mails. */
export const PUBLIC_URL = 'https://stancebook.example';

export interface MailingService extends TestService {
  readonly mailbox: Mailbox;
  /** Sends what is due; the mails that have arrived since the last call. */
  newMails(): Promise<readonly ReceivedMail[]>;
}

/** A service whose mails arrive in a mailbox on loopback. */
export async function openMailingService(
  storage: StorageName,
  options: ServiceOptions,
  mailboxOptions: MailboxOptions = {},
): Promise<MailingService> {
  const mailbox = await openMailbox(mailboxOptions);
  const env = {
    SMTP_URL: `smtp://service:mail-password@127.0.0.1:${mailbox.port}`,
    MAIL_FROM: 'Stancebook <stancebook@example.com>',
    PUBLIC_URL,
    ...options.env,
  };
  const service = await openService(storage, { ...options, env }).catch(async (error: unknown) => {
    await mailbox.close();
    throw error;
  });
  let seen = 0;
  return {
    ...service,
    mailbox,
    async newMails() {
      await sendMails(service.ports);
      const fresh = mailbox.mails.slice(seen);
      seen = mailbox.mails.length;
      return fresh;
    },
    async close() {
      await service.close();
      await mailbox.close();
    },
  };
}
