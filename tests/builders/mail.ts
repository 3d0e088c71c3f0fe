import { randomBytes, randomUUID } from 'node:crypto';
import type { OneTimeLink } from '../../domain/accounts/sign-in/one-time-link.ts';
import type { NewMail } from '../../domain/mail/mail.ts';
import { DAY } from '../../domain/time.ts';

/** A mail to a new address, with content that nobody opens. */
export function aMail(changes: Partial<NewMail> = {}): NewMail {
  return {
    mail_id: randomUUID(),
    kind: 'key_created',
    owner_id: null,
    address_hash: randomBytes(32),
    content: randomBytes(16),
    life: DAY,
    ...changes,
  };
}

export function aLink(changes: Partial<OneTimeLink> & Pick<OneTimeLink, 'owner_id'>): OneTimeLink {
  return { token_hash: randomBytes(32), purpose: 'reset', bound_to: randomBytes(32), mailed: true, ...changes };
}
