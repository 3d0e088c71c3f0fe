import type { ChainedEntry } from '../audit-chain.ts';
import type { SealedEvidence } from '../grading/evidence.ts';
import type { Decision } from './decision.ts';

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
  /** The statement and its seal; null where it is gone. */
  readonly said: Pick<Decision, 'statement' | 'salt' | 'commitment'> | null;
  readonly has_outcome: boolean;
  /** What the outcome was computed from; null without an outcome, or where it is gone. */
  readonly evidence: {
    readonly digest: string;
    readonly document: string;
    /** Digests of bars that the document names and that are gone. */
    readonly missing_bars: readonly string[];
  } | null;
}

/** A text that is stored under its SHA-256, hex. */
export interface StoredText {
  readonly digest: string;
  readonly content: string;
}

/** All evidence. Pages are in the order of ids: up to `limit` after `after`, from the first with null. */
export interface EvidenceReader {
  /** What the outcome of a record was computed from, byte for byte as stored; null where nothing was stored. */
  findEvidence(record_id: string): Promise<SealedEvidence | null>;

  /** The ids of the records that have an outcome, whatever their state now. */
  evaluatedAfter(after: string | null, limit: number): Promise<readonly string[]>;

  recordsAfter(after: string | null, limit: number): Promise<readonly StoredRecord[]>;

  /** The stretches of bars that outcomes were computed from. */
  barsAfter(after: string | null, limit: number): Promise<readonly StoredText[]>;

  /** The published workflows. */
  snapshotsAfter(after: string | null, limit: number): Promise<readonly StoredText[]>;

  /** The entries of the audit log, in their order; `after` is the number of one. */
  auditAfter(after: string | null, limit: number): Promise<readonly ChainedEntry[]>;
}
