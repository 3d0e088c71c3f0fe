import type { ActionSource } from '../../../domain/accounts/security-event.ts';
import { MAIL } from '../../../domain/limits.ts';
import type { QueuedMail } from '../../../domain/mail/mail-store.ts';
import { Problem } from '../../../domain/problem.ts';
import { SECOND } from '../../../domain/time.ts';
import { type MailPorts, refuseWithoutMail } from '../../mail/mail-configured.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import type { Ports } from '../../ports.ts';

export type ResetRequestPorts = MailPorts & Pick<Ports, 'transaction'>;

/**
 * Queues a mail with a link that resets the password of the account of this address. Whether there is an account is looked
 * up when the mail is sent, not here: so neither the reply nor its time depends on it.
 * @throws Problem MAIL_NOT_CONFIGURED, RATE_LIMIT_EXCEEDED after `MAIL.onRequestPerHour` mails to the address
 */
export async function requestReset(ports: ResetRequestPorts, email: string, source: ActionSource): Promise<void> {
  refuseWithoutMail(ports);
  const content = { to: email, source, subject: null, link: null };
  const mail = { kind: 'password_reset', owner_id: null, content } as const;
  refuseFlood(await ports.transaction((stores) => queueMail(stores, ports.settings, mail)));
}

/** @throws Problem RATE_LIMIT_EXCEEDED for a mail that was not admitted */
export function refuseFlood({ at, free_at }: QueuedMail): void {
  if (free_at === null) return;
  throw new Problem('RATE_LIMIT_EXCEEDED', `An address gets ${MAIL.onRequestPerHour} mails with a link in an hour.`, {
    suggestion: 'Use the newest link; look among unwanted mail too. Or wait retry_after_seconds.',
    retry_after_seconds: (free_at.getTime() - at.getTime()) / SECOND,
  });
}
