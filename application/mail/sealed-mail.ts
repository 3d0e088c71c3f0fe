import { createHmac } from 'node:crypto';
import { foldEmail } from '../../domain/accounts/owner.ts';
import type { MailContent } from '../../domain/mail/mail.ts';
import { derivedKey, type SecretValues } from '../derived-key.ts';
import { openSecret, type SealedFor, sealSecret } from '../sealed-secret.ts';

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
export function addressHash(sessionSecret: SecretValues, email: string): Uint8Array {
  return createHmac('sha256', derivedKey(sessionSecret, 'addresses of mails')).update(foldEmail(email)).digest();
}

function sealOf(sessionSecret: SecretValues, row: string): SealedFor {
  return { sessionSecret, purpose: 'mails', row };
}
