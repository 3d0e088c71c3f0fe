import { randomUUID } from 'node:crypto';
import { hourlyLimit, lifeOf, type MailContent, type MailKind, type MailLimit } from '../../domain/mail/mail.ts';
import type { QueuedMail } from '../../domain/mail/mail-store.ts';
import type { Settings, Stores } from '../ports.ts';
import { addressHash, sealMail } from './sealed-mail.ts';

export type MailSettings = Pick<Settings, 'sessionSecret'>;

export interface DraftedMail {
  readonly kind: MailKind;
  /** null where it is not known yet whether the address has an account. */
  readonly owner_id: string | null;
  readonly content: MailContent;
}

/**
 * Queues a mail within the limits of its address, in the transaction of what it reports; a sweep sends it after the commit.
 * @param further limits in addition to that of every address
 */
export async function queueMail(
  { mails, jobs }: Pick<Stores, 'mails' | 'jobs'>,
  { sessionSecret }: MailSettings,
  { kind, owner_id, content }: DraftedMail,
  further: readonly MailLimit[] = [],
): Promise<QueuedMail> {
  const mail_id = randomUUID();
  const mail = {
    ...{ mail_id, kind, owner_id, life: lifeOf(kind) },
    address_hash: addressHash(sessionSecret, content.to),
    content: sealMail(sessionSecret, mail_id, content),
  };
  const queued = await mails.add(mail, [hourlyLimit(kind), ...further]);
  if (queued.admitted) await jobs.enqueue('send-mails');
  return queued;
}
