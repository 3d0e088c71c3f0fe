import type { SecurityEvent } from '../../domain/accounts/security-event.ts';
import type { EventContext, SecurityEventStore } from '../../domain/accounts/security-event-store.ts';
import { noticeRuleOf } from '../../domain/mail/notices.ts';
import type { Ports, Stores } from '../ports.ts';
import type { MailSettings } from './queue-mail.ts';
import { type NoticeStores, queueNotice } from './queue-notice.ts';

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
  return { kind: rule.kind, owner_id, subject, source: { request_id, network, client } };
}
