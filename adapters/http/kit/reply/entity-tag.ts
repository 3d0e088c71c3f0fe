import { sha256 } from '../../../../application/sha256.ts';

/** A strong ETag: equal content has an equal tag, different content a different one. */
export function entityTag(content: string | Uint8Array): string {
  return `"${sha256(content).toString('base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names the tag; a weak tag matches too (RFC 9110, 13.1.2). */
export function namesTag(sent: string | undefined, tag: string): boolean {
  return (sent ?? '').split(',').some((named) => ['*', tag].includes(named.trim().replace(/^W\//, '')));
}
