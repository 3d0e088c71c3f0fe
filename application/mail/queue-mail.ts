import { createHmac, randomUUID } from 'node:crypto';
import { foldEmail } from '../../domain/accounts/owner.ts';
import type {
  ActionSource,
  EventContext,
  SecurityEvent,
  SecurityEventStore,
} from '../../domain/accounts/security-event.ts';
import { MAIL } from '../../domain/limits.ts';
import {
  hourlyLimit,
  lifeOf,
  type MailContent,
  type MailKind,
  type MailLimit,
  type QueuedMail,
} from '../../domain/mail/mail.ts';
import { type NoticeKind, noticeRuleOf, wantsNotices } from '../../domain/mail/notices.ts';
import { Problem } from '../../domain/problem.ts';
import { DAY, HOUR } from '../../domain/time.ts';
import type { Ports, Settings, Stores } from '../ports.ts';
import { derivedKey, openSecret, type SealedFor, type SecretValues, sealSecret } from '../sealed-secret.ts';

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

interface Notice {
  readonly kind: NoticeKind;
  readonly owner_id: string;
  /** null: a sweep of the service did it. */
  readonly source: ActionSource | null;
  /** What it is about, such as the prefix of a key. */
  readonly subject: string | null;
  /** Whether a preference cannot switch it off. */
  readonly always?: true | undefined;
}

type NoticeStores = Pick<Stores, 'owners' | 'profiles' | 'mails' | 'jobs'>;

/**
 * Queues a notice for an owner who has an address and has not switched notices off, within the limits: those of a kind have
 * one of their own, so that a flood of one kind hides no other, and an address that nobody has confirmed gets few.
 */
export async function queueNotice(
  stores: NoticeStores,
  settings: MailSettings,
  { kind, owner_id, source, subject, always }: Notice,
): Promise<void> {
  const owner = await stores.owners.find(owner_id);
  if (!owner || owner.email === null) return;
  if (!always && !wantsNotices((await stores.profiles.preferences(owner_id))?.notify)) return;
  const content = { to: owner.email, source, subject, link: null };
  const ofAddress: readonly MailLimit[] =
    owner.email_confirmed_at === null ? [{ of: 'all', within: DAY, most: MAIL.unconfirmedPerDay }] : [];
  const ofKind: MailLimit = { of: 'kind', within: HOUR, most: MAIL.noticesOfKindPerHour };
  await queueMail(stores, settings, { kind, owner_id, content }, [ofKind, ...ofAddress]);
}

type Noticed = Pick<Ports, 'securityEvents' | 'transaction'>;

/**
 * The same ports; with a security event that has a notice (`NOTICE_OF_EVENT`) the mail to its owner is queued, in the same
 * transaction. So no use case knows of notices, and a new kind of event needs a line in one table.
 */
export function withNotices<P extends Noticed>(ports: P, settings: MailSettings): P {
  const transaction = <T>(work: (stores: Stores) => Promise<T>): Promise<T> =>
    ports.transaction((stores) => work({ ...stores, securityEvents: noticing(stores, settings) }));
  return {
    ...ports,
    transaction,
    securityEvents: {
      ...ports.securityEvents,
      append: (event, context) =>
        noticeRuleOf(event) === null
          ? ports.securityEvents.append(event)
          : transaction(({ securityEvents }) => securityEvents.append(event, context)),
    },
  };
}

function noticing(stores: NoticeStores & Pick<Stores, 'securityEvents'>, settings: MailSettings): SecurityEventStore {
  const { securityEvents } = stores;
  return {
    ...securityEvents,
    async append(event, context) {
      const notice = await noticeOf(securityEvents, event, context);
      await securityEvents.append(event);
      if (notice) await queueNotice(stores, settings, notice);
    },
  };
}

/** Judged before the event is stored: afterwards its network is familiar. */
async function noticeOf(
  securityEvents: SecurityEventStore,
  event: SecurityEvent,
  { isKnownBrowser = false }: EventContext = {},
) {
  const rule = noticeRuleOf(event);
  const { owner_id, subject, request_id, network, client } = event;
  if (rule === null || owner_id === null) return null;
  if (rule.unfamiliarOnly && (isKnownBrowser || (await securityEvents.isFamiliar(owner_id, network)))) return null;
  return { kind: rule.kind, owner_id, subject, source: { request_id, network, client }, always: rule.always };
}

export type MailPorts = Pick<Ports, 'mailSender' | 'settings'>;

/** @throws Problem MAIL_NOT_CONFIGURED */
export function refuseWithoutMail({ mailSender }: Pick<Ports, 'mailSender'>): void {
  if (mailSender === null) throw new Problem('MAIL_NOT_CONFIGURED', 'This service sends no mail.');
}

/** Seals what a mail is made of: the database alone shows neither addresses nor links. */
export function sealMail(sessionSecret: SecretValues, mail_id: string, content: MailContent): Uint8Array {
  return sealSecret(sealOf(sessionSecret, mail_id), JSON.stringify(content));
}

/** The content of a mail; null when it was sealed for another one, under another SESSION_SECRET, or was changed. */
export function openMail(sessionSecret: SecretValues, mail_id: string, sealed: Uint8Array): MailContent | null {
  const text = openSecret(sealOf(sessionSecret, mail_id), sealed);
  return text === null ? null : (JSON.parse(text) as MailContent);
}

/** Under which an address is counted: equal for spellings of one account, and of no use without SESSION_SECRET. */
function addressHash(sessionSecret: SecretValues, email: string): Uint8Array {
  return createHmac('sha256', derivedKey(sessionSecret, 'addresses of mails')).update(foldEmail(email)).digest();
}

function sealOf(sessionSecret: SecretValues, row: string): SealedFor {
  return { sessionSecret, purpose: 'mails', row };
}
