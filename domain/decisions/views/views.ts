import { type DerivedFacts, derivedFacts } from '../../grading/bucket.ts';
import { gridOf } from '../../grading/grid.ts';
import type { OutcomeFacts, OwnerFacts, ResultBucket, StoredBar } from '../../grading/outcome.ts';
import type { Regime } from '../../grading/paths/regime.ts';
import { workflowRef } from '../../identifiers.ts';
import { withShownTexts } from '../../shown-text.ts';
import { later } from '../../time.ts';
import type { Direction, Window } from '../call.ts';
import {
  type Decision,
  type DecisionHeader,
  furtherHorizon,
  type GroupPlace,
  groupOf,
  headerOf,
  type LeafIndexes,
} from '../decision.ts';
import { type LifecycleState, UNAVAILABLE_STATES } from '../lifecycle.ts';
import { openSalt } from '../submission/commitment.ts';
import {
  type KeyFactor,
  keyFactors,
  type RelatedRecord,
  type Submission,
  sourcesAfterCutoff,
} from '../submission/submission.ts';
import { isPublic } from '../visibility.ts';
import { minuteOf, publicEvaluationTime, publicFacts } from './public-views.ts';
import { type Faulted, hasStatement, readable } from './record-fault.ts';

/** What every detail of a record shows (settled.md section 5). */
interface CommonDetail extends DecisionHeader, CreatedRegime, Faulted {
  readonly window: Window;
  /** The name of the evaluation method, fixed at receipt. */
  readonly method: string;
  readonly workflow_ref: string | null;
  readonly related_records: readonly RelatedRecord[];
  readonly log: LeafIndexes | null;
}

/** The regime at the anchor: its label, as in the rows of cohorts (interface.md 2.1), and the numbers behind it. */
export interface CreatedRegime {
  readonly created_regime: string | null;
  readonly created_regime_values: Pick<Regime, 'vol' | 'trend'> | null;
}

/** A record as anyone may see it: without anything that names or links its owner. */
export interface PublicDetail extends CommonDetail {
  readonly view: 'public';
  /** Another horizon of the decision leads; absent of every other record. */
  readonly further_horizon?: true;
  /** To the minute. */
  readonly submission_time: Date;
  readonly key_factors: readonly Omit<KeyFactor, 'source'>[];
  readonly result_bucket: ResultBucket;
  /** To the minute, rounded up. */
  readonly evaluated_at: Date;
  /** null where the fault says so. */
  readonly outcome: ShownFacts | null;
  /** null where the fault says so. */
  readonly commitment: string | null;
}

const OWN_WORDS = [
  'reference_price',
  'price_targets',
  'invalidation',
  'execution_info',
  'service_interaction',
  'confidence',
  'model',
  'summary',
  'tags',
  'inputs',
  'meta',
] as const satisfies readonly (keyof Submission)[];

/** The fields that only the owner sees; null where the agent sent none. */
type OwnWords = { readonly [Field in (typeof OWN_WORDS)[number]]: NonNullable<Submission[Field]> | null };

/** A record as its owner sees it: in full. */
export interface OwnerDetail extends CommonDetail, OwnWords {
  readonly view: 'owner';
  readonly agent_id: string;
  readonly number: number | null;
  /** The decision group that it was submitted in; null of most. */
  readonly group: GroupPlace | null;
  readonly submission_time: Date;
  readonly lifecycle_state: LifecycleState;
  /** null without prospect (`expectedEvaluation`). */
  readonly expected_evaluation_at: Date | null;
  readonly key_factors: readonly KeyFactor[];
  readonly isolation_snapshot_id: string | null;
  readonly result_bucket: ResultBucket | null;
  readonly outcome: DetailedOutcome | null;
  readonly evaluation: EvaluationProgress;
  /** null where the fault says so. */
  readonly commitment: string | null;
  /** The owner can prove the statement with it: SHA-256(salt || statement) is the commitment. null without one. */
  readonly commitment_opening: { readonly salt: string; readonly statement: string } | null;
  readonly archived_at: Date | null;
  readonly archive_reason: string | null;
  readonly quarantine_reason: string | null;
  /** Written after the outcome, so no part of the statement; oldest first. */
  readonly notes: NonNullable<Decision['notes']>;
}

/** The public facts of an outcome, and what follows from them (evaluation-2.md section 4). */
export type ShownFacts = OutcomeFacts & DerivedFacts;

export type OwnerOutcome = ShownFacts & OwnerFacts & { readonly bars: readonly StoredBar[] };

type DetailedOutcome = OwnerOutcome & {
  /** How many dated sources of the factors are later than data_cutoff; null where none has a date. */
  readonly sources_after_cutoff: number | null;
};

/** The retry counters of the owner's view. */
export interface EvaluationProgress {
  readonly attempts: number;
  readonly next_check_at: Date | null;
  readonly last_error: string | null;
  readonly evaluated_at: Date | null;
}

/** null unless the record is public-visible. */
export function publicDetail(stored: Decision): PublicDetail | null {
  const { evaluated_at, result_bucket, submission_time } = stored;
  if (!isPublic(stored) || !evaluated_at || !result_bucket) return null;
  const decision = readable(stored, 'public');
  return {
    view: 'public',
    ...commonDetail(decision),
    ...furtherHorizon(decision),
    submission_time: minuteOf(submission_time),
    window: publicWindow(decision),
    key_factors: publicFactors(decision.submission),
    workflow_ref: decision.workflow_public ? refOf(decision) : null,
    related_records: decision.related
      .filter((related) => related.public && related.relation !== 'supersedes')
      .map(({ record_id, relation }) => ({ record_id, relation })),
    result_bucket,
    evaluated_at: publicEvaluationTime(evaluated_at),
    outcome: publicOutcomeOf(decision),
    commitment: hasStatement(decision) ? decision.commitment : null,
  };
}

/** The facts as others see them; null without facts that can be read. */
export function publicOutcomeOf(
  decision: WindowFacts & Pick<Decision, 'market' | 'venue' | 'direction' | 'facts'>,
): ShownFacts | null {
  const { direction, facts } = decision;
  return facts && shownFacts(direction, publicFacts(facts, decision, publicWindow(decision)));
}

/** Records from before hidden characters were refused may contain them. */
function publicFactors(submission: Submission): PublicDetail['key_factors'] {
  return keyFactors(submission).map(({ source: _, ...factor }) => withShownTexts(factor));
}

type WindowFacts = Pick<Decision, 'submission_origin' | 'anchor_time' | 'end_time'>;

/** The grid of the facts as others see them, so that a filter by it reveals nothing more of the exact window. */
export function publicGrid(facts: OutcomeFacts, decision: WindowFacts & Pick<Decision, 'market' | 'venue'>) {
  return gridOf(publicFacts(facts, decision, publicWindow(decision)));
}

/** The window of a realtime record starts at its receipt, which others see only to the minute. */
export function publicWindow({ submission_origin, anchor_time, end_time }: WindowFacts): Window {
  if (submission_origin === 'retroactive') return { anchor_time, end_time };
  return { anchor_time: minuteOf(anchor_time), end_time: minuteOf(end_time) };
}

/** The full detail. @param gap why no configured source can grade the record; null where one can */
export function ownerDetail(stored: Decision, gap: string | null = null): OwnerDetail {
  const decision = readable(stored, 'owner');
  const { submission } = decision;
  return {
    view: 'owner',
    ...commonDetail(decision),
    symbol: decision.submitted_symbol,
    agent_id: decision.agent_id,
    number: decision.number,
    group: groupOf(decision),
    submission_time: decision.submission_time,
    lifecycle_state: decision.lifecycle_state,
    expected_evaluation_at: expectedEvaluation(decision, gap),
    key_factors: keyFactors(submission),
    ...ownWords(submission),
    related_records: decision.related.map(({ record_id, relation }) => ({ record_id, relation })),
    isolation_snapshot_id: decision.isolation_snapshot_id,
    result_bucket: decision.result_bucket,
    outcome: detailedOutcome(decision),
    evaluation: evaluationProgress(decision, gap),
    ...sealOf(decision),
    archived_at: decision.archived_at,
    archive_reason: decision.archive_reason,
    quarantine_reason: decision.quarantine_reason,
    notes: decision.notes ?? [],
  };
}

function sealOf(decision: Decision): Pick<OwnerDetail, 'commitment' | 'commitment_opening'> {
  if (!hasStatement(decision)) return { commitment: null, commitment_opening: null };
  const { commitment, statement } = decision;
  return { commitment, commitment_opening: { salt: openSalt(decision), statement } };
}

/**
 * When the owner may expect the outcome, or when it came; null without prospect: in a state that only an operator
 * changes, and while no configured source can grade the record.
 * @param gap why no configured source can grade the record; null where one can
 */
export function expectedEvaluation(
  {
    lifecycle_state,
    settles_at,
    submission_time,
  }: Pick<Decision, 'lifecycle_state' | 'settles_at' | 'submission_time'>,
  gap: string | null,
): Date | null {
  return gap !== null || UNAVAILABLE_STATES.includes(lifecycle_state) ? null : later(settles_at, submission_time);
}

/** The outcome with what the submission says about its sources. */
function detailedOutcome(decision: Decision): DetailedOutcome | null {
  const outcome = ownerOutcome(decision);
  return outcome && { ...outcome, sources_after_cutoff: sourcesAfterCutoff(decision.submission) };
}

/** Null until the record is evaluated. */
export function ownerOutcome({
  direction,
  facts,
  owner_facts,
  bars,
}: Pick<Decision, 'direction' | 'facts' | 'owner_facts' | 'bars'>): OwnerOutcome | null {
  return facts && owner_facts ? { ...shownFacts(direction, facts), ...owner_facts, bars: bars ?? [] } : null;
}

/** @param direction of the decision: a neutral one stores the size of its move only */
export function shownFacts(direction: Direction, facts: OutcomeFacts): ShownFacts {
  return { ...facts, ...derivedFacts(direction, facts) };
}

export function evaluationProgress(
  decision: Pick<Decision, 'attempts' | 'due_at' | 'last_error' | 'evaluated_at'>,
  gap: string | null,
): EvaluationProgress {
  const { attempts, due_at, last_error, evaluated_at } = decision;
  return { attempts, next_check_at: due_at, last_error: last_error ?? gap, evaluated_at };
}

function ownWords(submission: Submission): OwnWords {
  return Object.fromEntries(OWN_WORDS.map((field) => [field, submission[field] ?? null])) as unknown as OwnWords;
}

function commonDetail(decision: Decision & Faulted): CommonDetail {
  return {
    ...headerOf(decision),
    window: { anchor_time: decision.anchor_time, end_time: decision.end_time },
    method: decision.method,
    workflow_ref: refOf(decision),
    ...regimeOf(decision),
    related_records: [],
    log: decision.log,
    ...(decision.fault && { fault: decision.fault }),
  };
}

/** null, both of them, until the record is evaluated, and with too short a history. */
export function regimeOf({ created_regime: regime }: Pick<Decision, 'created_regime'>): CreatedRegime {
  if (!regime) return { created_regime: null, created_regime_values: null };
  return { created_regime: regime.label, created_regime_values: { vol: regime.vol, trend: regime.trend } };
}

/** Of the workflow that the record is attributed to. */
export function refOf({ workflow_hash }: Pick<Decision, 'workflow_hash'>): string | null {
  return workflow_hash === null ? null : workflowRef(workflow_hash);
}
