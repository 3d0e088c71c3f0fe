import type { Direction, HorizonKind, Window } from '../decisions/call.ts';
import {
  type ClaimedDecision,
  continuationOf,
  type EvaluationEnd,
  type GradableDecision,
} from '../decisions/evaluation-store.ts';
import type { RecordGroup } from '../decisions/own/record-counts.ts';
import { confidenceTenth, type FacetTally } from '../decisions/own/track-record.ts';
import type { CountedWindow } from '../decisions/own/window-counts.ts';
import type { Knowledge, Submission } from '../decisions/submission/submission.ts';
import { SUSPECTED, type UngradedReason } from '../decisions/ungraded.ts';
import { moveRange, moveZ } from '../grading/bucket.ts';
import { isSuspected } from '../grading/cohort-exception.ts';
import type { Outcome } from '../grading/outcome.ts';
import { BACKTEST, type Limits } from '../limits.ts';
import type { Instrument } from '../market/instrument.ts';
import { Problem, type ProblemDetail } from '../problem.ts';
import { knownNotes, type RowNote, type RowNoteDraft, type RowNoteVerdict } from './row-notes.ts';

/** Where the rows of a set come from, and how their horizons were chosen: the same for all of them. */
export interface BacktestAbout {
  readonly source: string;
  readonly horizon_rule: string;
}

/** A set of rows of back-tests. It belongs to an agent, under a name. */
export interface BacktestSet {
  readonly set_id: number;
  readonly owner_id: string;
  readonly agent_id: string;
  readonly name: string;
  readonly about: BacktestAbout;
  readonly created_at: Date;
}

/** Which set: that of an agent under a name. */
export type SetName = Pick<BacktestSet, 'owner_id' | 'agent_id' | 'name'>;

/** The members of a submission that a row may have (loop.md section 6). */
export type BacktestCall = Pick<
  Submission,
  | 'market'
  | 'symbol'
  | 'venue'
  | 'asset_class'
  | 'quote_currency'
  | 'direction'
  | 'horizon_kind'
  | 'horizon_value'
  | 'data_cutoff'
  | 'key_factors'
  | 'analysis_class'
  | 'perspective_type'
  | 'price_targets'
  | 'invalidation'
  | 'confidence'
  | 'model'
  | 'summary'
>;

/** A row as it was sent: its members have the right shapes, or `faults` says which have not. */
export type SentRow =
  | { readonly external_id: string; readonly call: BacktestCall; readonly faults?: undefined }
  | { readonly external_id: string | null; readonly faults: readonly ProblemDetail[] };

/** A row as it is received: it is graded later, and never changed. Its symbol is the key of the security. */
export interface BacktestRow extends Instrument, Window {
  readonly external_id: string;
  /** What was sent without `external_id`, in RFC 8785 form. */
  readonly body: string;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly confidence: number | null;
  readonly knowledge: Knowledge;
  /** The name of the evaluation method, fixed at receipt. */
  readonly method: string;
  /** When the prices of the window were settled, by the finest source. */
  readonly settles_at: Date;
}

/** Rows of one set that arrive together, each id once. */
export interface BacktestBatch extends SetName {
  readonly about: BacktestAbout;
  readonly rows: readonly BacktestRow[];
}

/** How much of back-tests an owner has, and one of their sets. */
export interface Holdings {
  readonly rows: number;
  /** Of the bodies. */
  readonly bytes: number;
  readonly sets: number;
  /** Of the set alone. */
  readonly instruments: number;
}

export type Received =
  | { readonly kind: 'other_about'; readonly about: BacktestAbout }
  | {
      readonly kind: 'received';
      /** The ids of rows that the set did not have. */
      readonly accepted: ReadonlySet<string>;
      /** The ids of rows that it has with another body. */
      readonly other: ReadonlySet<string>;
      /** With what was accepted. */
      readonly holdings: Holdings;
    };

/** Of a set that is not there, where no row would make it. */
export function nothingReceived(holdings: Holdings): Received {
  return { kind: 'received', accepted: new Set(), other: new Set(), holdings };
}

/** What an outcome keeps of its evaluation: no bars. */
export type BacktestOutcome = Omit<Outcome, 'bars'>;

/** An outcome, and since when a live decision would have had it. */
export interface GradedRow {
  readonly kind: 'evaluated';
  readonly outcome: BacktestOutcome;
  readonly known_at: Date;
  /** Set where the calendar has moved it. */
  readonly end_time?: Date;
}

/** The end of the evaluation of a row. */
export interface RowEnd extends EvaluationEnd<GradedRow> {
  /** No source knows its instrument. */
  readonly rejected?: boolean;
}

/** A row under evaluation: `record_id` is its number in the storage. */
export type ClaimedRow = ClaimedDecision<GradableDecision & Pick<StoredRow, 'received_at'>>;

/** @param row_id its number in the storage */
export function claimedRow(
  row: Instrument &
    Window &
    Pick<BacktestRow, 'body' | 'direction' | 'horizon_kind' | 'horizon_value' | 'method'> &
    Pick<StoredRow, 'received_at'>,
  { row_id, attempts, token }: { readonly row_id: number; readonly attempts: number; readonly token: string },
): ClaimedRow {
  const { body, anchor_time } = row;
  return {
    token,
    decision: {
      ...row,
      ...{ record_id: String(row_id), attempts, data_cutoff: anchor_time, submission_origin: 'retroactive' },
      // Parsed when it is read, so that a body that was damaged fails its own evaluation only.
      get submission() {
        return JSON.parse(body) as Submission;
      },
    },
  };
}

/** Rows of one set and instrument that this process grades. */
export interface ClaimedRows {
  readonly token: string;
  readonly rows: readonly ClaimedRow[];
  /** Whether more of them may be due. */
  readonly more: boolean;
}

/** What the end of an evaluation makes of a row. */
export interface EndedRow {
  /** When it is tried again; null: it ended. */
  readonly due_at: Date | null;
  readonly attempted: 0 | 1;
  readonly record_group: RecordGroup;
  readonly ungraded: UngradedReason | null;
  readonly move: number | null;
  readonly known_at: Date | null;
  readonly end_time: Date | null;
  readonly settles_at: Date | null;
  readonly last_error: string | null;
  readonly outcome: BacktestOutcome | null;
}

export function endedRow(end: RowEnd, direction: Direction): EndedRow {
  const { result } = end;
  const none = { move: null, known_at: null, end_time: null, settles_at: null, outcome: null };
  if (result.kind !== 'evaluated') {
    const { due_at, attempted, ...continuation } = continuationOf(end);
    // What a source said may be what no storage keeps as text.
    const last_error = continuation.last_error.replaceAll('\u0000', '\ufffd').toWellFormed();
    const moved =
      result.kind === 'postponed' ? { settles_at: result.settles_at ?? null, end_time: result.end_time ?? null } : {};
    if (due_at !== null)
      return { ...none, ...moved, due_at, attempted, last_error, record_group: 'pending', ungraded: null };
    return {
      ...none,
      due_at,
      attempted,
      last_error,
      record_group: 'unavailable',
      ungraded: end.rejected ? 'rejected' : result.reason,
    };
  }
  const { outcome, known_at, end_time = null } = result;
  const graded = {
    due_at: null,
    attempted: 0,
    known_at,
    end_time,
    settles_at: null,
    last_error: null,
    outcome,
  } as const;
  if (isSuspected(outcome.facts)) return { ...graded, record_group: 'unavailable', ungraded: SUSPECTED, move: null };
  const move = moveRange(moveZ(direction, outcome.facts));
  return { ...graded, record_group: outcome.result_bucket, ungraded: null, move };
}

/** The facets in which rows of a set are counted: `month` is that in which the window begins. */
export type RowFacet = 'all' | 'direction' | 'month' | 'confidence' | 'knowledge';

export type RowTally = FacetTally<RowFacet>;

/** The keys of a row in the facets. */
export function facetKeys(row: Pick<BacktestRow, 'direction' | 'anchor_time' | 'confidence' | 'knowledge'>) {
  return {
    all: '',
    direction: row.direction,
    month: row.anchor_time.toISOString().slice(0, 7),
    confidence: row.confidence === null ? null : String(confidenceTenth(row.confidence)),
    knowledge: row.knowledge,
  } satisfies Record<RowFacet, string | null>;
}

/** What is counted of a set. */
export interface SetTallies {
  readonly tallies: readonly RowTally[];
  readonly instruments: number;
  /** Rows whose prices had settled, and that wait for their grade. */
  readonly ungraded_yet: number;
  /** Those among them that were tried in vain, and are tried again at a later time: such as where a source does not answer. */
  readonly tried_again: number;
  /** The starts of the first and the last window; null without rows. */
  readonly first: Date | null;
  readonly last: Date | null;
  /** Of the graded rows; null for more than COHORT.mostWindows. */
  readonly windows: readonly CountedWindow[] | null;
}

/** A set in a list. */
export interface ListedSet extends BacktestSet {
  readonly rows: number;
}

/** A row with what is known of it. */
export interface StoredRow extends Omit<BacktestRow, 'knowledge'> {
  /** Its number in the storage: ascending in the order of receipt. */
  readonly row_id: number;
  readonly received_at: Date;
  /** Where its window ended at receipt, if its grading has moved the end; else null. */
  readonly planned_end: Date | null;
  /** null of a row without an outcome, or where it was not known by the time that was asked for. */
  readonly outcome: BacktestOutcome | null;
  readonly known_at: Date | null;
  readonly record_group: RecordGroup;
  readonly ungraded: UngradedReason | null;
  readonly last_error: string | null;
  /** By their `as_of`, and then as they were written. */
  readonly notes: readonly RowNote[];
}

/**
 * The row as it was known at a time: an outcome that came later is not in it, nor why there is none, nor later notes. Until the
 * outcome the window ends as at receipt, since nothing says when its end was moved.
 */
export function asKnownAt({ notes, ...stored }: StoredRow, as_of: Date): StoredRow {
  const row = { ...stored, notes: knownNotes(notes, as_of) };
  if (row.outcome && row.known_at && row.known_at <= as_of) return row;
  const planned = { ...row, end_time: row.planned_end ?? row.end_time };
  if (row.record_group === 'pending' || (row.outcome === null && row.settles_at <= as_of)) return planned;
  return { ...planned, outcome: null, known_at: null, record_group: 'pending', ungraded: null, last_error: null };
}

/** What recall reads of a set (loop.md section 2). */
export interface RecalledRows {
  /** The newest ones, by the start of their window. */
  readonly rows: readonly StoredRow[];
  /** Of the rows that began by the time, those whose prices had settled by then, and that wait for their grade. */
  readonly ungraded_yet: number;
}

/** Sets of back-tests: rows about the past that are no decisions (loop.md section 1). */
export interface BacktestStore {
  /**
   * Adds the rows whose ids the set does not have; they make a set that is not there. Concurrent calls of one owner wait for
   * each other until the transaction ends, so that `holdings` are exact. What is added becomes due when it is settled.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED; NOT_FOUND for an agent that the owner does not
   * have, AGENT_ARCHIVED
   */
  receive(batch: BacktestBatch, now: Date): Promise<Received>;

  /** Null where the owner has no such set. */
  find(set: SetName): Promise<BacktestSet | null>;

  /** All sets of an owner, by agent and name. */
  list(owner_id: string): Promise<readonly ListedSet[]>;

  tally(set_id: number, now: Date): Promise<SetTallies>;

  /** Up to `limit` rows of a set behind the row with that number, in the order of receipt. */
  rows(set_id: number, after: number | null, limit: number): Promise<readonly StoredRow[]>;

  /**
   * The newest rows of a security, by its key, whose windows began by `as_of`; what was not known then is not in them.
   * @param key of the security, as rows have it
   */
  recall(set_id: number, key: Pick<Instrument, 'market' | 'symbol'>, as_of: Date, limit: number): Promise<RecalledRows>;

  /**
   * The rows of other securities that the newest notes of the set as of a time are about, at most so many, as they were known
   * then: by their newest note, the newest first.
   */
  notedElsewhere(
    set_id: number,
    key: Pick<Instrument, 'market' | 'symbol'>,
    as_of: Date,
    most: number,
  ): Promise<readonly StoredRow[]>;

  /**
   * Adds a note to a row of a set of the owner, as `nextRowNote` judges it, at the time of the database's clock. `no_row`: the
   * set has no such row, or is removed. The owner stays locked until the transaction ends, so that concurrent texts are judged
   * one after the other.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  addNote(draft: RowNoteDraft, atMost: number): Promise<RowNoteVerdict>;

  /**
   * Removes a set from the owner's view, with all of its rows; `prune` deletes these. False where there is none; of
   * concurrent calls one removes.
   */
  remove(set: SetName): Promise<boolean>;

  /** Deletes up to `limit` rows of removed sets, and sets without rows; how many. */
  prune(limit: number): Promise<number>;

  /**
   * Claims due rows of one set and instrument, the instrument that is due first, the rows in the order of their windows:
   * nobody else claims rows of these until `leaseUntil`. Only rows of methods that this version knows. Null without any.
   */
  claim(now: Date, leaseUntil: Date, limit: number): Promise<ClaimedRows | null>;

  /** Extends a claim, over or not, to end at `leaseUntil`: false where another process has taken the rows. */
  renew(claimed: ClaimedRows, leaseUntil: Date): Promise<boolean>;

  /**
   * Ends evaluations of claimed rows and the claim itself. Returns how many ended here: none where the claim was over and
   * another process has taken the rows. @throws RefusedEnds, and then none ended, and the claim is held
   */
  end(claimed: ClaimedRows, ends: readonly RowEnd[]): Promise<number>;

  /** When the next row becomes due that nobody has claimed; null without one. */
  nextDue(): Promise<Date | null>;
}

type BacktestLimits = Pick<Limits, 'backtestRows'>;

/** What passes the bounds of back-tests that do not end by waiting (docs/limits.md); null: nothing does. */
export function holdingsProblem({ rows, bytes, sets, instruments }: Holdings, limits: BacktestLimits): Problem | null {
  const over = (most: number, what: string, has: number, whose: string, remedy: string) =>
    has <= most
      ? null
      : new Problem('TIER_LIMIT_REACHED', `${whose} may have ${most} ${what}; with these rows there would be ${has}.`, {
          suggestion: remedy,
        });
  const remove =
    'Delete a set that you no longer need, in the page or by DELETE /api/v1/owner/agents/{agent_id}/backtests/{set}.';
  return (
    over(limits.backtestRows, 'rows of back-tests', rows, 'An account', remove) ??
    over(BACKTEST.bytes, 'bytes of rows of back-tests', bytes, 'An account', remove) ??
    over(BACKTEST.sets, 'sets of back-tests', sets, 'An account', remove) ??
    over(
      BACKTEST.instruments,
      'instruments',
      instruments,
      'A set',
      'Send the rows of other instruments to another set.',
    )
  );
}
