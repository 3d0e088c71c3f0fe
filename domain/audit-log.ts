import type { AuditHead } from './audit-chain.ts';

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
