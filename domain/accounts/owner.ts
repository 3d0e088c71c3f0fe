import type { Role, Tier } from '../caller.ts';

/** A human account holder; the email is null for an account of the identity provider alone (settled.md section 8). */
export interface Owner {
  readonly owner_id: string;
  readonly email: string | null;
  readonly password_hash: string | null;
  readonly role: Role;
  readonly tier: Tier;
  readonly created_at: Date;
  /** Since when an operator has suspended the account; null: it is in use. */
  readonly suspended_at: Date | null;
  /** When a link that was mailed to the address was used first; null: nobody has proved to read its mail. */
  readonly email_confirmed_at: Date | null;
  /** When the account will be erased, unless its owner takes that back; null: it stays. */
  readonly erases_at: Date | null;
}

/** An agent of an owner; only the owner sees its name. */
export interface Agent {
  readonly agent_id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly created_at: Date;
  /** When the owner archived it; null: it is in use. */
  readonly archived_at: Date | null;
}

/** Two emails belong to one account when this is equal (settled.md section 8: compared case-folded). */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
