/** Something that an operator has done. */
export interface AuditEntry {
  /** The operator's owner_id, or `command line`. */
  readonly actor: string;
  /** Such as `refresh_instrument`. */
  readonly action: string;
  /** What it was done to: a record id, an instrument's key ... */
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What operators have done (settled.md section 8); nothing in it is ever changed or removed. */
export interface AuditLog {
  /** Inside the transaction of what was done, so that there is never one without the other. */
  append(entry: AuditEntry, at: Date): Promise<void>;

  /** The newest entries about a subject, newest first. */
  about(subject: string, limit: number): Promise<readonly (AuditEntry & { readonly at: Date })[]>;
}
