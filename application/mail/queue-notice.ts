import type { ActionSource } from '../../domain/accounts/security-event.ts';
import { MAIL } from '../../domain/limits.ts';
import type { MailLimit } from '../../domain/mail/mail.ts';
import { type NoticeKind, wantsNotices } from '../../domain/mail/notices.ts';
import { DAY, HOUR } from '../../domain/time.ts';
import type { Stores } from '../ports.ts';
import { type MailSettings, queueMail } from './queue-mail.ts';

export interface Notice {
  readonly kind: NoticeKind;
  readonly owner_id: string;
  /** null: a sweep of the service did it. */
  readonly source: ActionSource | null;
  /** What it is about, such as the prefix of a key. */
  readonly subject: string | null;
}

export type NoticeStores = Pick<Stores, 'owners' | 'profiles' | 'mails' | 'jobs'>;

/**
 * Queues a notice for an owner who has an address and has not switched notices off, within the limits: those of a kind have
 * one of their own, so that a flood of one kind hides no other, and an address that nobody has confirmed gets few.
 */
export async function queueNotice(
  stores: NoticeStores,
  settings: MailSettings,
  { kind, owner_id, source, subject }: Notice,
): Promise<void> {
  const owner = await stores.owners.find(owner_id);
  if (!owner || owner.email === null) return;
  if (!wantsNotices((await stores.profiles.preferences(owner_id))?.notify)) return;
  const content = { to: owner.email, source, subject, link: null };
  const ofAddress: readonly MailLimit[] =
    owner.email_confirmed_at === null ? [{ of: 'all', within: DAY, most: MAIL.unconfirmedPerDay }] : [];
  const ofKind: MailLimit = { of: 'kind', within: HOUR, most: MAIL.noticesOfKindPerHour };
  await queueMail(stores, settings, { kind, owner_id, content }, [ofKind, ...ofAddress]);
}
