import { rfc3339 } from './time.ts';

/** An entry of the audit log as it is stored, with its place in the chain. */
export interface ChainedEntry {
  /** Digits; greater than that of the entry before. */
  readonly seq: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** The JSON text of `detail` as the storage writes it. */
  readonly detail: string;
  /** The seal of the entry before, hex; `BEFORE_THE_FIRST` in the first. */
  readonly previous: string;
  /** See `sealOf`. */
  readonly seal: string;
}

export const BEFORE_THE_FIRST = '0'.repeat(64);

/** SHA-256, hex, of the lines of an entry; `app.audit_seal` of the database computes the same. */
export function sealOf(entry: Omit<ChainedEntry, 'seal'>, sha256Hex: (text: string) => string): string {
  const { previous, seq, at, actor, action, subject, detail } = entry;
  const quoted = [actor, action, subject].map((text) => JSON.stringify(text));
  return sha256Hex(['stancebook/audit/1', previous, seq, rfc3339(at), ...quoted, detail].join('\n'));
}

/** The newest entry. A copy of it stored elsewhere shows later whether the chain up to it was changed. */
export type AuditHead = Pick<ChainedEntry, 'seq' | 'seal'>;

/** `SEQ:SEAL`. */
export function headText({ seq, seal }: AuditHead): string {
  return `${seq}:${seal}`;
}

/** @returns null for a text that is no head */
export function headIn(text: string): AuditHead | null {
  const [, seq, seal] = /^([1-9]\d{0,17}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === undefined || seal === undefined ? null : { seq, seal };
}
