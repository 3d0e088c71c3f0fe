import { eventOf } from '../../domain/accounts/security-event.ts';
import { MAIL } from '../../domain/limits.ts';
import {
  afterAttempt,
  type ClaimedMail,
  isOnRequest,
  type LinkMail,
  type MailContent,
  type MailResult,
  type MailSender,
  sentLink,
} from '../../domain/mail/mail.ts';
import { mailText, PURPOSE_OF } from '../../domain/mail/mail-text.ts';
import { makeLink } from '../accounts/sign-in/password-reset.ts';
import type { Ports } from '../ports.ts';
import { openMail, sealMail } from './queue-mail.ts';

export type SendMailsPorts = Pick<Ports, 'mails' | 'mailSender' | 'transaction' | 'clock' | 'settings' | 'report'>;

/**
 * Sends the mails that are due: each at least once, and again until the server accepts it or it is given up (`afterAttempt`).
 * A mail that the server accepted and whose acceptance was lost is sent twice, with one Message-ID. Several processes share
 * the work. It ends when nothing is due, or begins no mail after `MAIL.sweep`.
 * @returns when there is more to do; null: when the next mail is queued
 */
export async function sendMails(ports: SendMailsPorts): Promise<Date | null> {
  const { mails, mailSender: sender, clock } = ports;
  if (sender === null) return null;
  const end = performance.now() + MAIL.sweep;
  for (;;) {
    const claimed = performance.now() < end ? await mails.claim(MAIL.atOnce, MAIL.lease) : [];
    if (claimed.length === 0) break;
    await Promise.all(claimed.map((mail) => sendOne(ports, sender, mail)));
  }
  const due = await mails.nextDue();
  const soon = new Date((await clock.now()).getTime() + MAIL.lookAgain);
  return due !== null && due < soon ? soon : due;
}

/** A fault of ours counts as an attempt, and stops no other mail. */
async function sendOne(ports: SendMailsPorts, sender: MailSender, claimed: ClaimedMail): Promise<void> {
  const { mail_id } = claimed;
  try {
    const result = await attempt(ports, sender, claimed).catch((error: unknown): MailResult => {
      ports.report(error, { mail_id });
      return { outcome: 'failed', reason: 'internal' };
    });
    await ports.mails.settle(claimed, (now) => afterAttempt(claimed, result, now, Math.random()));
  } catch (error) {
    ports.report(error, { mail_id });
  }
}

async function attempt(ports: SendMailsPorts, sender: MailSender, claimed: ClaimedMail): Promise<MailResult> {
  const { mail_id, kind, expires_at, created_at } = claimed;
  const { sessionSecret, publicOrigin: publicUrl } = ports.settings;
  if (expires_at <= (await ports.clock.now())) return { outcome: 'failed', reason: 'expired' };
  const content = openMail(sessionSecret, mail_id, claimed.content);
  if (content === null || publicUrl === null) return { outcome: 'failed', reason: 'unreadable' };
  const whole = isOnRequest(kind) && content.link === null ? await withLink(ports, claimed, kind, content) : content;
  if (whole === null) return { outcome: 'void' };
  const text = mailText(kind, whole, { publicUrl, queued: created_at });
  return sender.send({ mail_id, to: whole.to, date: created_at, ...text });
}

/**
 * The content with a new link, which is stored with the mail: each attempt sends the same one. null where the address has no
 * account with a password, the account is suspended, or the address is confirmed already.
 */
async function withLink(
  { transaction, settings }: SendMailsPorts,
  { mail_id, token, owner_id }: ClaimedMail,
  kind: LinkMail,
  content: MailContent,
): Promise<MailContent | null> {
  return transaction(async (stores) => {
    const owner = await stores.owners.findByEmail(content.to);
    if (!owner || owner.email === null || owner.password_hash === null) return null;
    const isConfirmation = kind === 'email_confirmation';
    if (isConfirmation && (owner.owner_id !== owner_id || owner.email_confirmed_at !== null)) return null;
    const made = await makeLink(stores, owner, PURPOSE_OF[kind], true);
    if (made === null) return null;
    const whole = { ...content, to: owner.email, link: sentLink(made.token, made.expires_at) };
    const sealed = sealMail(settings.sessionSecret, mail_id, whole);
    if (!(await stores.mails.address(mail_id, token, owner.owner_id, sealed))) throw new Error('The lease is over.');
    if (!isConfirmation && content.source) {
      const event = eventOf('password_reset_requested', 'success', owner.owner_id, content.source);
      await stores.securityEvents.append(event);
    }
    return whole;
  });
}
