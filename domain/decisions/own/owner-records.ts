import type { ResultBucket } from '../../grading/outcome.ts';
import { indexAt, unplacedAdvice } from '../../market/instrument.ts';
import type { NameBook } from '../../market/name-book.ts';
import { currencyName, type KnownCoins, normaliseSymbol, upperAscii } from '../../market/symbol.ts';
import { type AssetClass, MARKETS, type Market, venueName } from '../../market/venues.ts';
import type { ProblemDetail } from '../../problem.ts';
import type { Direction, PerspectiveType, Window } from '../call.ts';
import { type Decision, type DecisionHeader, type GroupPlace, groupOf, headerOf } from '../decision.ts';
import type { UnevaluatedDecision } from '../evaluation-store.ts';
import type { LifecycleState } from '../lifecycle.ts';
import { type Faulted, type FaultPart, faultOf, faultyInRow } from '../views/record-fault.ts';
import {
  type CreatedRegime,
  type EvaluationProgress,
  evaluationProgress,
  expectedEvaluation,
  refOf,
  regimeOf,
} from '../views/views.ts';
import type { OutcomeFilter, OutcomePeriod, PeriodTally } from './outcome-periods.ts';
import type { AgentTallies } from './track-record.ts';

/** The filter of an owner's list (interface.md 4.3); null filters nothing, values are normalised. */
export interface RecordFilter {
  readonly agent_id: string | null;
  readonly group_id: string | null;
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
  readonly submission_origin: Decision['submission_origin'] | null;
  /** The window ends at or after it. */
  readonly ended_since: Date | null;
  /** The window ends before it. */
  readonly ended_until: Date | null;
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

  /**
   * Counts the graded records of the owner that match the filter, archived ones included, by the period in which their
   * windows ended, in no order; null when they are more than `atMost`. Quarantined ones do not count.
   */
  countOutcomes(
    owner_id: string,
    filter: OutcomeFilter,
    by: OutcomePeriod,
    atMost: number,
  ): Promise<readonly PeriodTally[] | null>;
}

/** A record in its owner's list: the fields of its row. The detail has the agent's words and the outcome in full. */
export interface OwnSummary
  extends DecisionHeader,
    Pick<
      ListedDecision,
      'submission_time' | 'lifecycle_state' | 'result_bucket' | 'archived_at' | 'archive_reason' | 'quarantine_reason'
    >,
    CreatedRegime,
    Faulted {
  /** The decision group that it was submitted in; null of most. */
  readonly group: GroupPlace | null;
  readonly window: Window;
  /** The name of the evaluation method, fixed at receipt. */
  readonly method: string;
  readonly workflow_ref: string | null;
  /** null without prospect (`expectedEvaluation`). */
  readonly expected_evaluation_at: Date | null;
  /** How far the price went, as fractions; null until the record is evaluated. */
  readonly path: PathFigures | null;
  readonly evaluation: EvaluationProgress;
}

interface PathFigures {
  readonly raw_return: number;
  readonly directional_return: number | null;
  readonly mfe: number | null;
  readonly mae: number | null;
}

/**
 * Shows the symbol as it was submitted, like every owner's view.
 * @param gap why no configured source can grade the record; null where one can
 */
export function ownSummary(record: ListedDecision, gap: string | null): OwnSummary {
  const { raw_return, directional_return, mfe, mae, anchor_time, end_time } = record;
  const faulty = faultyInRow(record);
  const hasPath = raw_return !== null && !faulty.includes('path');
  return {
    ...headerOf(record),
    symbol: record.submitted_symbol,
    submission_time: record.submission_time,
    group: groupOf(record),
    window: { anchor_time, end_time },
    method: record.method,
    workflow_ref: refOf(record),
    ...regimeOf(faulty.includes('created_regime') ? { created_regime: null } : record),
    lifecycle_state: record.lifecycle_state,
    expected_evaluation_at: expectedEvaluation(record, gap),
    result_bucket: record.result_bucket,
    path: hasPath ? { raw_return, directional_return, mfe, mae } : null,
    evaluation: evaluationProgress(record, gap),
    archived_at: record.archived_at,
    archive_reason: record.archive_reason,
    quarantine_reason: record.quarantine_reason,
    ...faultOf(faulty),
  };
}

/** In the owner's own list the figures of the path have more of the outcome. */
export interface GradedSummary extends Omit<OwnSummary, 'path'> {
  readonly path: (PathFigures & FurtherFigures) | null;
}

interface FurtherFigures {
  readonly z: number | null;
  /** The return of the venue's reference over the window; null where the outcome has none. */
  readonly market_move: number | null;
}

/** @param outcome its figures, null without one, and what of it cannot be read */
export function gradedSummary<Summary extends OwnSummary>(summary: Summary, { faulty, ...figures }: OutcomeOfRow) {
  const parts = new Set([...(summary.fault?.parts ?? []), ...faulty]);
  return { ...summary, path: summary.path === null ? null : { ...summary.path, ...figures }, ...faultOf([...parts]) };
}

export interface OutcomeOfRow extends FurtherFigures {
  readonly faulty: readonly FaultPart[];
}

/** The instrument filters of an owner's list, as sent (interface.md 4.3). */
export interface InstrumentQuery {
  readonly market?: Market | undefined;
  readonly symbol?: string | undefined;
  readonly venue?: string | undefined;
  readonly asset_class?: AssetClass | undefined;
  readonly quote_currency?: string | undefined;
}

/** `market:symbol` as stored with records. */
export type MarketSymbol = `${Market}:${string}`;

/**
 * The stored symbols that match a filter's `symbol`: spelled as in a submission, in the pinned market or else in each,
 * and with the pinned quote cut off: keys of securities, or names of today. Null without a symbol; a fault when it is a symbol of no market.
 */
export function symbolsOfQuery(
  query: InstrumentQuery,
  coins: KnownCoins,
  names: NameBook,
  today: string,
): readonly MarketSymbol[] | null | ProblemDetail {
  const { market, symbol, venue: sentVenue, asset_class, quote_currency } = query;
  if (symbol === undefined) return null;
  const quote = currencyName(quote_currency ?? '');
  const meant = (market ? [market] : MARKETS).flatMap((each): MarketSymbol[] => {
    const normalised = normaliseSymbol(symbol, { market: each, quote_currency: quote, coins, venue: sentVenue });
    const venue = sentVenue && venueName(sentVenue);
    const name = indexAt(venue, normalised);
    if (name === null) return [];
    const line = { market: each, name, venue, asset_class, ...(quote !== null && { quote_currency: quote }) };
    return [`${each}:${names.readFilter(line, today).symbol}`];
  });
  const advice = market === 'crypto' || sentVenue !== undefined ? null : unplacedAdvice(symbol, coins);
  const isNamed = names.knowsName('stock', upperAscii(symbol) ?? '') || coins.knowsCoin(upperAscii(symbol) ?? '');
  if (advice !== null && !isNamed) return { path: 'symbol', message: advice, received: symbol };
  if (meant.length > 0) return meant;
  return { path: 'symbol', message: 'must be a ticker such as MSFT, or a base asset such as BTC', received: symbol };
}
