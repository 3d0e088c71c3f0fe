import type { ChainedEntry } from '../../audit-log.ts';
import type { SealedEvidence } from '../../grading/evidence.ts';
import type { OutcomeFacts } from '../../grading/outcome.ts';
import type { Decision, DecisionStatus, TabledDecision } from '../decision.ts';
import type { Receipt } from '../submission/receipt.ts';
import type { RelatedRecord, Submission } from '../submission/submission.ts';
import { isPublic } from '../visibility.ts';

export interface DecisionReader {
  /**
   * The existing ones of the records, in no order and as `withVerification` shows them. `bars` are read only where
   * `viewer` owns the record.
   */
  find(record_ids: readonly string[], viewer: string | null): Promise<readonly Decision[]>;

  /** The same records without their submissions and relations, which are most of the data. */
  findStatus(record_ids: readonly string[], viewer: string | null): Promise<readonly DecisionStatus[]>;

  /** Those of the records that are this owner's, for a table. */
  findTabled(record_ids: readonly string[], owner_id: string): Promise<readonly TabledDecision[]>;
}

/** What is stored of one record, byte for byte, for checks that nothing of it has changed. */
export interface StoredRecord
  extends Pick<
    Decision,
    | 'record_id'
    | 'lifecycle_state'
    | 'submission_time'
    | 'direction'
    | 'horizon_kind'
    | 'horizon_value'
    | 'data_cutoff'
    | 'method'
    | 'result_bucket'
  > {
  /** Every column of its row, by the name of the column; times as `Date` or RFC 3339. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** The statement and its seal, and what else was stored when it was received; null where it is gone. */
  readonly said: StoredSubmission | null;
  /** Of its owner; null for an owner who was not erased, or whose erasure is not in the audit log. */
  readonly erasure: { readonly ended: boolean } | null;
  /** null where it is gone: the account was deleted. */
  readonly agent: { readonly owner_id: string; readonly created_at: Date } | null;
  /** The action of the newest entry of the audit log that moved it into quarantine or out of it. */
  readonly moderation: 'quarantine' | 'release' | null;
  /** What its grade says, from the rows that are never changed. */
  readonly outcome: Graded | null;
  /** What the outcome was computed from; null without an outcome, or where it is gone. */
  readonly evidence: {
    readonly digest: string;
    readonly document: string;
    /** The digests that are stored next to the document. */
    readonly path_bars: readonly string[];
    readonly daily_bars: readonly string[];
    /** Digests of bars that the document names and that are gone. */
    readonly missing_bars: readonly string[];
  } | null;
}

export interface StoredSubmission extends Pick<Decision, 'statement' | 'salt' | 'commitment'> {
  /** Stored in addition to the statement by 0.4.0; null in other records. */
  readonly submission: Submission | null;
  readonly confidence: number | null;
  readonly receipt: Receipt;
  /** Columns that neither statement nor receipt have, as they were when it was received. */
  readonly received: Readonly<Record<string, unknown>>;
  readonly related: readonly RelatedRecord[];
}

type Graded = { readonly [Name in 'evaluated_at' | 'result_bucket' | 'created_regime']: unknown } & {
  readonly facts: OutcomeFacts;
};

/** A text that is stored under its SHA-256, hex. */
export interface StoredText {
  readonly digest: string;
  readonly content: string;
}

/** All evidence. Pages are in the order of ids: up to `limit` after `after`, from the first with null. */
export interface EvidenceReader {
  /** What the outcome of a record was computed from, byte for byte as stored; null where nothing was stored. */
  findEvidence(record_id: string): Promise<SealedEvidence | null>;

  /** The same of several records, by their ids; those without are left out. Records may share the texts of bars. */
  findEvidenceOfEach(record_ids: readonly string[]): Promise<ReadonlyMap<string, SealedEvidence>>;

  /** The ids of the records that have an outcome, whatever their state now; with `since` those evaluated at or after it. */
  evaluatedAfter(after: string | null, limit: number, since?: Date | null): Promise<readonly string[]>;

  recordsAfter(after: string | null, limit: number): Promise<readonly StoredRecord[]>;

  /** Up to `limit` numbered records whose number is not their place among those of their agent, by their ids. */
  misnumbered(limit: number): Promise<readonly MisnumberedRecord[]>;

  /** The stretches of bars that outcomes were computed from. */
  barsAfter(after: string | null, limit: number): Promise<readonly StoredText[]>;

  /** The published workflows. */
  snapshotsAfter(after: string | null, limit: number): Promise<readonly StoredText[]>;

  /** The entries of the audit log, in their order; `after` is the number of one. */
  auditAfter(after: string | null, limit: number): Promise<readonly ChainedEntry[]>;
}

export interface MisnumberedRecord {
  readonly record_id: string;
  readonly number: number;
  /** From 1, by number and then by id. */
  readonly place: number;
}

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
