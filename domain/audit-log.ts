import { rfc3339 } from './time.ts';

/** An action of an operator, or a change of an API key. */
export interface AuditEntry {
  /**
   * Who did it: an owner_id, or `command line: ` with the user of the operating system; older
   * entries have `command line` alone.
   */
  readonly actor: string;
  /** Such as `refresh_instrument`. */
  readonly action: string;
  /** What it was done to: a record id, an instrument's key, an owner_id, the prefix of an API key ... */
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export type LoggedEntry = AuditEntry & { readonly at: Date };

/** An entry has to match every member. */
export interface AuditFilter {
  readonly since?: Date | undefined;
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Before that time. */
  readonly until?: Date | undefined;
}

/** With its place in the log. */
export type PlacedEntry = LoggedEntry & { readonly seq: string };

/**
 * The actions of operators (settled.md section 8), and the creation and revocation of API keys. Entries are never changed
 * or removed, so they contain neither emails nor secrets.
 */
export interface AuditLog {
  /**
   * Runs inside the transaction of the action, so that neither is stored without the other, and as its last step, because
   * the next entry waits for the end of that transaction. The storage sets the time, and seals the entry (`sealOf`).
   */
  append(entry: AuditEntry): Promise<void>;

  /** The newest entries about a subject, newest first. */
  about(subject: string, limit: number): Promise<readonly LoggedEntry[]>;

  /** The newest entries that match the filter, newest first. */
  list(filter: AuditFilter, limit: number): Promise<readonly LoggedEntry[]>;

  /** Up to `limit` entries that match the filter, newest first; only those before `before`, the `seq` of another. */
  page(filter: AuditFilter, before: string | null, limit: number): Promise<readonly PlacedEntry[]>;

  /** The newest entry; null while there is none. */
  head(): Promise<AuditHead | null>;
}

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
