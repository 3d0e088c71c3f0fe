import type { ResultBucket } from '../../grading/outcome.ts';
import type { AssetClass, Market } from '../../market/venues.ts';
import type { Direction, PerspectiveType } from '../call.ts';
import type { UnevaluatedDecision } from '../evaluation-store.ts';
import type { LifecycleState } from '../lifecycle.ts';
import type { MarketSymbol } from './record-filter.ts';
import type { AgentTallies } from './track-record.ts';

/** The filter of an owner's list (interface.md 4.3); null filters nothing, values are normalised. */
export interface RecordFilter {
  readonly agent_id: string | null;
  readonly market: Market | null;
  readonly symbols: readonly MarketSymbol[] | null;
  readonly venue: string | null;
  readonly asset_class: AssetClass | null;
  readonly quote_currency: string | null;
  readonly direction: Direction | null;
  readonly lifecycle_state: LifecycleState | null;
  readonly result_bucket: ResultBucket | null;
  /** At or after it. */
  readonly submitted_since: Date | null;
  /** Before it. */
  readonly submitted_until: Date | null;
  /** Evaluated at or after it. */
  readonly evaluated_since: Date | null;
  readonly include_archived: boolean;
}

/** The end of a page: the next page begins behind it. */
export interface RecordPlace {
  readonly submission_time: Date;
  readonly record_id: string;
}

/** A record as lists read it: its row, without its documents. */
export interface ListedDecision extends Omit<UnevaluatedDecision, 'submission'> {
  /** Of the outcome's path, null until there is one. */
  readonly raw_return: number | null;
  readonly directional_return: number | null;
  readonly mfe: number | null;
  readonly mae: number | null;
}

/** The records of an agent that its track record counts; null filters nothing. */
export interface TrackRecordFilter {
  readonly symbols: readonly MarketSymbol[] | null;
  readonly direction: Direction | null;
  readonly perspective_type: PerspectiveType | null;
  /** Seconds, inclusive; either bound leaves out records in trading days. */
  readonly holding_seconds_min: number | null;
  readonly holding_seconds_max: number | null;
  /** Records evaluated with this bucket. */
  readonly result_bucket: ResultBucket | null;
  /** Whether the record is evaluated. */
  readonly has_outcome: boolean | null;
  /** Of submission_time: at or after it. */
  readonly since: Date | null;
  /** Of submission_time: before it. */
  readonly until: Date | null;
}

/** Records as their owner reads them: those of other owners do not exist here. */
export interface OwnerRecords {
  /**
   * Up to `limit` records behind `after`, the newest submission first, and by the record id within one millisecond; as
   * `withVerification` shows them. A record that is returned as the same object again has not changed.
   */
  list(
    owner_id: string,
    filter: RecordFilter,
    after: RecordPlace | null,
    limit: number,
  ): Promise<readonly ListedDecision[]>;

  /**
   * Marks the record as archived now, whatever its state, and changes nothing else of it; an archived record keeps its
   * first time and reason. False when the owner has no such record.
   */
  archive(owner_id: string, record_id: string, reason: string | null): Promise<boolean>;

  /**
   * Counts the records of the agent, and of all agents of the owner, that match the filter; null when the owner has no
   * such agent. All counts of records are of one moment.
   */
  tally(owner_id: string, agent_id: string, filter: TrackRecordFilter): Promise<AgentTallies | null>;
}
