import { smtpMailSender } from '../../../adapters/outgoing/smtp-mail-sender.ts';
import type { MailFailure } from '../../../domain/mail/mail.ts';
import type { Config } from '../../config/config.ts';
import { type DoctorCheck, failed, ok } from './doctor-check.ts';

/** Whether the mail server accepts us; sends no mail. None where mail is not set up. */
export async function mailFindings({ mail }: Pick<Config, 'mail'>): Promise<readonly DoctorCheck[]> {
  if (mail === null) return [];
  const { host } = new URL(mail.url);
  const fault = await smtpMailSender(mail).check();
  if (fault === null) return [ok('mail', `${host} takes mails from ${mail.from.address}`)];
  return [failed('mail', `${host} does not take mails: ${fault}`, ADVICE[fault] ?? 'Try again later.')];
}

const ADVICE: Readonly<Partial<Record<MailFailure, string>>> = {
  login_failed: 'Correct user and password of SMTP_URL; percent-encode signs such as @ and /.',
  tls_failed: 'Name the host of SMTP_URL as its certificate does. A server that is not on this machine needs TLS.',
  connection_failed: 'Correct host and port of SMTP_URL, or let this machine connect to them.',
  timed_out: 'Correct host and port of SMTP_URL, or let this machine connect to them.',
};
