import { Problem } from '../../problem.ts';
import { rfc3339 } from '../../time.ts';
import type { Decision, GroupPlace } from '../decision.ts';

/** SHA-256 of the parts, one after the other, as lower-case hexadecimal digits; a text counts as its UTF-8 bytes. */
export type Sha256Hex = (...parts: readonly (string | Uint8Array)[]) => string;

/**
 * The text that a commitment seals: the RFC 8785 form of `{ body, record_id, submission_time }` (settled.md section 4), with
 * `group` of a decision that was submitted in one.
 * @param body what was submitted, in RFC 8785 form, with `meta` as a JSON string that contains its text (section 14);
 * in statements of 0.4.0 `meta` is the object itself
 */
export function statementOf(body: string, record_id: string, submission_time: Date, group?: GroupPlace | null): string {
  const of = group ? `"group":{"id":"${group.id}","of":${group.of},"place":${group.place}},` : '';
  return `{"body":${body},${of}"record_id":"${record_id}","submission_time":"${rfc3339(submission_time)}"}`;
}

/**
 * The commitment of a record: SHA-256(salt || statement), hex. The salt is known to the owner only, so the commitment
 * shows nothing of the statement until the owner publishes both (settled.md section 4).
 * @param salt 32 random bytes
 */
export function commitmentOf(salt: Uint8Array, statement: string, sha256Hex: Sha256Hex): string {
  return sha256Hex(salt, statement);
}

/**
 * The salt of a commitment, for its owner.
 * @throws Problem UNAUTHORIZED for a request that began before the account was removed, once the salt is erased
 */
export function openSalt({ salt, record_id }: Pick<Decision, 'salt' | 'record_id'>): string {
  if (salt !== null) return salt;
  throw new Problem('UNAUTHORIZED', `The owner of ${record_id} was erased.`, { suggestion: 'Create a new account.' });
}
