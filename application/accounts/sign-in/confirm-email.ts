import { ownerGone } from '../../../domain/accounts/active-owner.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { type MailPorts, refuseWithoutMail } from '../../mail/mail-configured.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import type { Ports } from '../../ports.ts';
import { hashOfToken, linkInvalid } from './one-time-token.ts';
import { passwordAccount } from './password-account.ts';
import { refuseFlood } from './request-reset.ts';
import { type LinkPorts, ownerOfLink } from './reset-by-link.ts';

export interface EmailState {
  readonly email: string;
  /** null: not confirmed. */
  readonly email_confirmed_at: Date | null;
}

/**
 * Queues a mail with a link that confirms the owner's address, unless it is confirmed.
 * @throws Problem MAIL_NOT_CONFIGURED, PASSWORDLESS_ACCOUNT, RATE_LIMIT_EXCEEDED after `MAIL.onRequestPerHour` mails
 */
export async function requestConfirmation(
  ports: MailPorts & Pick<Ports, 'owners' | 'transaction'>,
  owner_id: string,
  source: ActionSource,
): Promise<EmailState> {
  refuseWithoutMail(ports);
  const owner = await ports.owners.find(owner_id);
  if (!owner) throw ownerGone();
  const { email, email_confirmed_at } = passwordAccount(owner);
  if (email_confirmed_at === null) {
    const content = { to: email, source, subject: null, link: null };
    const mail = { kind: 'email_confirmation', owner_id, content } as const;
    refuseFlood(await ports.transaction((stores) => queueMail(stores, ports.settings, mail)));
  }
  return { email, email_confirmed_at };
}

/**
 * Confirms the address of the account of a link, which works once.
 * @returns since when it is confirmed
 * @throws Problem LINK_INVALID
 */
export async function confirmEmail(ports: LinkPorts, token: string, source: ActionSource): Promise<Date> {
  const token_hash = hashOfToken(token);
  const { owner_id } = await ownerOfLink(ports, token_hash, 'confirm');
  return ports.transaction(async ({ links, owners, securityEvents }) => {
    const link = token_hash && (await links.redeem(token_hash, 'confirm'));
    const email_confirmed_at = link?.owner_id === owner_id ? await owners.confirmEmail(owner_id) : null;
    if (email_confirmed_at === null) throw linkInvalid();
    await securityEvents.append(eventOf('email_confirmed', 'success', owner_id, source));
    return email_confirmed_at;
  });
}
