import type { Decision } from '../decision.ts';

/** A record under quarantine, as operators see it: what it is about, without what its owner wrote. */
export interface QuarantinedRecord
  extends Pick<
    Decision,
    | 'record_id'
    | 'owner_id'
    | 'agent_id'
    | 'market'
    | 'symbol'
    | 'venue'
    | 'asset_class'
    | 'quote_currency'
    | 'direction'
    | 'submission_time'
    | 'submission_origin'
  > {
  readonly reason: string | null;
  /** Whether it has an outcome, with which a release makes it public again. */
  readonly graded: boolean;
}

export interface QuarantinedFilter {
  readonly owner_id?: string | undefined;
}

/** The records under quarantine, in the order of their submission. */
export interface QuarantinedRecords {
  /** Up to `limit` that match, the one submitted last first; only those before `before`. */
  list(
    filter: QuarantinedFilter,
    before: QuarantinedPlace | null,
    limit: number,
  ): Promise<readonly QuarantinedRecord[]>;
}

export type QuarantinedPlace = Pick<QuarantinedRecord, 'submission_time' | 'record_id'>;
