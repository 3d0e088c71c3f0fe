/** Something that an operator has done, or that became of a key. */
export interface AuditEntry {
  /** Whose doing it was: an owner_id, or `command line`. */
  readonly actor: string;
  /** Such as `refresh_instrument`. */
  readonly action: string;
  /** What it was done to: a record id, an instrument's key, an owner_id, the prefix of an API key ... */
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export type LoggedEntry = AuditEntry & { readonly at: Date };

/** Entries have to fit all of it. */
export interface AuditFilter {
  readonly since?: Date | undefined;
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
}

/**
 * What operators have done (settled.md section 8), and when API keys came and went. Nothing in it is ever changed or
 * removed, so neither emails nor secrets are written there.
 */
export interface AuditLog {
  /** Inside the transaction of what was done, so that there is never one without the other. */
  append(entry: AuditEntry, at: Date): Promise<void>;

  /** The newest entries about a subject, newest first. */
  about(subject: string, limit: number): Promise<readonly LoggedEntry[]>;

  /** The newest entries that fit the filter, newest first. */
  list(filter: AuditFilter, limit: number): Promise<readonly LoggedEntry[]>;
}
