import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

/** What a text is about, which has to be the same when it is opened. */
type About = readonly (string | null)[];

/** AES-256-GCM, in base64: the database sends bytes in hex, which takes longer to read. */
export function sealText(key: KeyObject, about: About, text: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(JSON.stringify(about)));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** The UTF-8 bytes of the text; null for one that was sealed by another key, is about something else, or was changed. */
export function openText(key: KeyObject, about: About, sealed: string): Uint8Array | null {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const opening = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
    opening.setAAD(Buffer.from(JSON.stringify(about))).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    const text = opening.update(bytes.subarray(NONCE + TAG));
    opening.final();
    return text;
  } catch {
    return null;
  }
}

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/** Characters of a sealed text that contain its nonce and tag: they differ in any two, as `owner_seal` and `public_seal` have them. */
export const SEAL_LENGTH = Math.ceil(((NONCE + TAG) * 4) / 3);
