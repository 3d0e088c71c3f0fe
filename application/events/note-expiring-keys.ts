import type { ExpiringKey } from '../../domain/events/event.ts';
import { EVENTS } from '../../domain/limits.ts';
import { type MailSettings, queueNotice } from '../mail/queue-mail.ts';
import type { Ports, Stores } from '../ports.ts';

export type KeyExpiryPorts = Pick<Ports, 'transaction' | 'mailSender'> & { readonly settings: MailSettings };

/**
 * Writes the events of all keys that expire soon and have had none, in transactions of `EVENTS.keysAtOnce` keys; where mail
 * is set up with a notice to each owner.
 */
export async function noteExpiringKeys(ports: KeyExpiryPorts): Promise<void> {
  const noteSome = () =>
    ports.transaction(async (stores) => {
      const keys = await stores.keyExpiry.noteExpiringKeys(EVENTS.keysAtOnce);
      if (ports.mailSender !== null) await queueNotices(stores, ports.settings, keys);
      return keys.length;
    });
  while ((await noteSome()) === EVENTS.keysAtOnce);
}

/** One for each owner, in the order of their ids, so that two processes do not wait for each other. */
async function queueNotices(stores: Stores, settings: MailSettings, keys: readonly ExpiringKey[]): Promise<void> {
  const byOwner = [...Map.groupBy(keys, ({ owner_id }) => owner_id)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [owner_id, own] of byOwner) {
    const subject = own.map(({ key_prefix }) => key_prefix).join(' ');
    await queueNotice(stores, settings, { kind: 'key_expiring', owner_id, source: null, subject });
  }
}
