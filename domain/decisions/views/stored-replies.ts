import type { Decision } from '../decision.ts';
import { isPublic } from '../visibility.ts';

/** The two forms of an evaluated record. */
export type ReplyForm = 'owner' | 'public';

/** Names a reply that can be stored, and the version of the rows that it is made from. */
export interface ReplyBasis {
  readonly record_id: string;
  readonly edition: string;
  readonly form: ReplyForm;
  /** The owner, in the owner's form. */
  readonly reader: string | null;
  readonly version: string;
}

/** A stored reply, or what one is made from. */
export type ReplySource =
  | { readonly reply: Uint8Array; readonly form: ReplyForm }
  | {
      readonly reply: null;
      readonly decision: Decision;
      /** null: the reply is not to be stored. */
      readonly basis: ReplyBasis | null;
    };

/** Replies about evaluated records, as they were sent before: a cache, which may forget any of them at any time. */
export interface StoredReplies {
  /**
   * The stored reply in the form that is the viewer's, or the record as `DecisionReader.find` reads it; null: there is no
   * such record. A reply that was made before a change is not found once the change is committed.
   * @param viewer null for an anonymous reader
   * @param edition of the reply's form: a reply of another one is not found
   */
  find(record_id: string, viewer: string | null, edition: string): Promise<ReplySource | null>;

  /** Stores a reply, unless what it was made from has changed or is being changed. It never fails. */
  keep(basis: ReplyBasis, text: string): Promise<void>;

  /** Up to `limit` ids of records after `after` with a stored reply, in order. */
  recordsAfter(after: string | null, limit: number): Promise<readonly string[]>;

  /** Removes the longest unread replies, to within an hour, until the others take no more than the bound. */
  prune(): Promise<void>;
}

/**
 * The form of the reply that may be stored: it depends neither on time nor on settings of a source. null: the record is not
 * evaluated, or archived, which its owner reads on request only.
 */
export function storedForm(decision: Decision, viewer: string | null): ReplyForm | null {
  if (!isPublic(decision)) return null;
  if (decision.owner_id !== viewer) return 'public';
  return decision.archived_at === null ? 'owner' : null;
}
