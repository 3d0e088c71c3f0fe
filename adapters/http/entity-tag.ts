import { createHash } from 'node:crypto';

/** A strong tag (RFC 9110 section 8.8.3): the same bytes have the same one, on every process. */
export function entityTag(body: string | Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names it; a proxy that compresses makes tags weak, which says the same here. */
export function namesTag(sent: string | undefined, tag: string): boolean {
  return (sent ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');
}
