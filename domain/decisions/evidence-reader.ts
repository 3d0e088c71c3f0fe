import type { SealedEvidence } from '../grading/evidence.ts';
import type { Decision } from './decision.ts';

/** What is kept of one record, byte for byte, for whoever checks that nothing of it has changed. */
export interface KeptRecord
  extends Pick<
    Decision,
    | 'record_id'
    | 'lifecycle_state'
    | 'submission_time'
    | 'direction'
    | 'horizon_kind'
    | 'horizon_value'
    | 'data_cutoff'
    | 'result_bucket'
  > {
  /** What was said; null where it is gone. */
  readonly said: Pick<Decision, 'statement' | 'salt' | 'commitment'> | null;
  readonly has_outcome: boolean;
  /** What the outcome was computed from; null where there is no outcome, or it is gone. */
  readonly evidence: {
    readonly digest: string;
    readonly document: string;
    /** Digests of bars that it names and that are gone. */
    readonly missing_bars: readonly string[];
  } | null;
}

/** A text that is kept under its SHA-256, hex. */
export interface KeptText {
  readonly digest: string;
  readonly content: string;
}

/**
 * All evidence. What comes in pages comes in the order of ids: up to `limit` after `after`, from the first on with null.
 */
export interface EvidenceReader {
  /** What the outcome of a record was computed from, byte for byte as it was kept; null where nothing was kept. */
  findEvidence(record_id: string): Promise<SealedEvidence | null>;

  /** The ids of the records that have an outcome, whatever became of them since. */
  evaluatedAfter(after: string | null, limit: number): Promise<readonly string[]>;

  recordsAfter(after: string | null, limit: number): Promise<readonly KeptRecord[]>;

  /** The stretches of bars that outcomes were computed from. */
  barsAfter(after: string | null, limit: number): Promise<readonly KeptText[]>;

  /** The published workflows. */
  snapshotsAfter(after: string | null, limit: number): Promise<readonly KeptText[]>;
}
