import type { Decision, Grouped, GroupPlace } from '../../domain/decisions/decision.ts';
import { analysisClass, type RelatedRecord, type Submission } from '../../domain/decisions/submission/submission.ts';
import type { StoredRecord, StoredSubmission } from '../../domain/decisions/views/decision-reader.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { moveRange, moveZ } from '../../domain/grading/bucket.ts';
import { cohortException } from '../../domain/grading/cohort-exception.ts';
import type { Evaluation } from '../../domain/grading/evaluation.ts';
import type { SeenEvidence } from '../../domain/grading/evidence.ts';
import { gridOf } from '../../domain/grading/grid.ts';
import { MINUTE, rfc3339 } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { gradedIds, openGrade, type UnopenedGrade } from './open-grade.ts';

const UNGRADED = {
  ...{ evaluated_at: null, result_bucket: null, created_regime: null, raw_return: null, directional_return: null },
  ...{ mfe: null, mae: null, move: null, grid: null, cohort_exception: null },
};

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** The result of computing an outcome again from its evidence. */
export type Recomputation =
  /** Every fact is equal to the stored one. */
  | { readonly kind: 'same'; readonly digest: string; readonly result_bucket: string }
  /** The evidence is intact, and gives facts that differ from the stored ones. */
  | { readonly kind: 'different'; readonly differences: readonly Difference[] }
  | UnopenedGrade;

/** Evaluates a record again by its method from its evidence (evaluation.md) and compares each fact with the stored one. */
export async function recompute(
  ports: Pick<Ports, 'decisions' | 'evidence'>,
  record_id: string,
): Promise<Recomputation> {
  const opened = await openGrade(ports, record_id);
  if (opened.kind !== 'opened') return opened;
  const { decision, method, call, seen, digest } = opened;
  const computed = computedOf(method.evaluate(call, seen, seen.now), seen);
  const found = differences(keptOf(decision), decision.salt === null ? withoutOwners(computed) : computed);
  if (found.length > 0) return { kind: 'different', differences: found };
  return { kind: 'same', digest, result_bucket: String(decision.result_bucket) };
}

export interface RecomputedRecord {
  readonly record_id: string;
  readonly result: Recomputation;
}

/** Every record that has an outcome, one after the other. */
export async function* recomputeAll(ports: Pick<Ports, 'decisions' | 'evidence'>): AsyncGenerator<RecomputedRecord> {
  for await (const record_id of gradedIds(ports)) yield { record_id, result: await recompute(ports, record_id) };
}

function keptOf({ result_bucket, created_regime, facts, owner_facts, end_time }: Decision) {
  return { result_bucket, created_regime, facts, owner_facts, end_time: rfc3339(end_time) };
}

/** The bars of the path are not a fact of their own: they are read from the evidence. */
function computedOf(result: Evaluation, seen: SeenEvidence) {
  if (result.kind !== 'evaluated') return { result_bucket: `${result.kind}, ${result.reason}: ${result.detail}` };
  const { bars: _, ...facts } = result.outcome;
  return { ...facts, end_time: rfc3339(seen.end_time) };
}

/** As an erasure leaves it: of what the owner alone saw there is nothing (`app.erased_facts`). */
function withoutOwners(computed: ReturnType<typeof computedOf>) {
  if (!('owner_facts' in computed)) return computed;
  return { ...computed, owner_facts: { levels: null, reference_price: null, knowledge_overlap: null } };
}

/** A difference between two documents. */
export interface Difference {
  /** Such as `facts.entry.price`. */
  readonly path: string;
  /** As JSON; empty where there is none. */
  readonly kept: string;
  readonly computed: string;
}

/** Every leaf at which two values differ as JSON, in the order of their paths. */
export function differences(kept: unknown, computed: unknown, path = ''): Difference[] {
  if (isBranch(kept) && isBranch(computed)) {
    const names = [...new Set([...Object.keys(kept), ...Object.keys(computed)])];
    return names.toSorted().flatMap((name) => differences(kept[name], computed[name], path ? `${path}.${name}` : name));
  }
  const [left, right] = [JSON.stringify(kept) ?? '', JSON.stringify(computed) ?? ''];
  return left === right ? [] : [{ path, kept: left, computed: right }];
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

type Columns = Readonly<Record<string, unknown>>;

/** A statement in RFC 8785 form. */
export interface Statement {
  readonly record_id: string;
  readonly submission_time: string;
  readonly body: Submission;
  readonly group?: GroupPlace;
}

/** The differences between the row of a record and its statement, its receipt and what was noted when it was received. */
export function submittedFaults({ columns, said, agent }: StoredRecord, statement: Statement): readonly string[] {
  if (said === null) return [];
  const { record_id, submission_time, body } = statement;
  const { submission_origin } = said.receipt;
  const { commitment, submission, confidence } = said;
  const stated = {
    ...{ record_id, submission_time },
    ...{ direction: body.direction, horizon_kind: body.horizon_kind, horizon_value: body.horizon_value },
    data_cutoff: body.data_cutoff,
    anchor_time: submission_origin === 'retroactive' ? body.data_cutoff : submission_time,
    submitted_symbol: body.symbol.trim().toUpperCase(),
    analysis_class: analysisClass(body),
    perspective_type: body.perspective_type ?? null,
    ...groupColumns(statement),
  };
  return [
    ...differingColumns(columns, stated, 'in the statement'),
    ...receivedFaults(columns, said),
    ...differingColumns(
      { ...said.receipt },
      { record_id, submission_time, commitment },
      'in the statement',
      'in the receipt',
    ),
    ...differingColumns({ confidence }, { confidence: body.confidence ?? null }, 'in the statement'),
    ...relationFaults(said.related, body),
    ...differences(submission ?? body, body).map(
      ({ path, kept, computed }) =>
        `submission.${path} is ${computed || 'nothing'} in the statement and ${kept || 'nothing'} in the submission`,
    ),
    ...(agent === null ? [] : differingColumns(columns, { owner_id: agent.owner_id }, 'of its agent')),
    ...(agent !== null && agent.created_at.getTime() > Date.parse(submission_time) + MINUTE
      ? [`its agent was created later, at ${rfc3339(agent.created_at)}`]
      : []),
  ];
}

/** The differences between the row of a record and its receipt, and what was noted when it was received. */
export function receivedFaults(columns: Columns, { receipt, received }: StoredSubmission): readonly string[] {
  const { submission_origin, cohort_key, anchor_time, workflow_hash } = receipt;
  const { market, symbol, venue, asset_class, quote_currency, instrument } = columns;
  const identity = [market, symbol, venue, asset_class, quote_currency].join(':');
  const atReceipt = asReceived(columns);
  return [
    ...differingColumns(
      atReceipt,
      { submission_origin, cohort_key, anchor_time, workflow_hash, ...groupColumns(receipt) },
      'in the receipt',
    ),
    ...differingColumns(atReceipt, received, 'when it was received'),
    ...(identity === instrument
      ? []
      : [`market, symbol, venue, asset_class and quote_currency are ${identity}, instrument is ${instrument}`]),
  ];
}

/** What a record was read as when it was received, in the columns of what it counts under. */
export function asReceived(columns: Columns): Columns {
  const { market, venue, asset_class, quote_currency, received_symbol, received_cohort_key } = columns;
  if (typeof received_symbol !== 'string') return columns;
  const instrument = [market, received_symbol, venue, asset_class, quote_currency].join(':');
  return { ...columns, symbol: received_symbol, instrument, cohort_key: received_cohort_key };
}

function groupColumns({ group }: { readonly group?: GroupPlace }): Grouped {
  return { group_id: group?.id ?? null, group_place: group?.place ?? null, group_of: group?.of ?? null };
}

function relationFaults(related: readonly RelatedRecord[], { related_records = [] }: Submission): readonly string[] {
  const [stated, stored] = [related_records, related].map(linkTexts);
  return stated === stored
    ? []
    : [`relations are ${stated || 'none'} in the statement and ${stored || 'none'} as stored`];
}

function linkTexts(links: readonly RelatedRecord[]): string {
  return [...new Set(links.map(({ record_id, relation }) => `${relation} ${record_id}`))].toSorted().join(', ');
}

/** The differences between the row of a record and its outcome and the audit log. */
export function gradeFaults(record: StoredRecord): readonly string[] {
  const { columns, outcome, direction } = record;
  if (outcome === null) return [...differingColumns(columns, UNGRADED, 'without an outcome'), ...stateFaults(record)];
  const { evaluated_at, result_bucket, created_regime, facts } = outcome;
  const { raw_return = null, directional_return = null, mfe, mae } = facts;
  const path = { raw_return, directional_return, mfe: mfe?.value ?? null, mae: mae?.value ?? null };
  // Null in records of a release without it, until a sweep has read them.
  const move = columns.move === null ? null : moveRange(moveZ(direction, facts));
  // Whose prices they are follows from the names (`countedFaults` of check-evidence.ts).
  const cohort_exception = columns.cohort_exception === 'wrong_security' ? 'wrong_security' : cohortException(facts);
  const counted = { move, grid: gridOf(facts), cohort_exception };
  return [
    ...differingColumns(
      columns,
      { evaluated_at, result_bucket, created_regime, ...path, ...counted },
      'in the outcome',
    ),
    ...stateFaults(record),
  ];
}

function stateFaults({ lifecycle_state, outcome, moderation }: StoredRecord): readonly string[] {
  const quarantined = lifecycle_state === 'quarantined';
  const graded = outcome !== null && !quarantined && !isPublic({ lifecycle_state });
  return [
    ...(graded ? [`lifecycle_state is ${lifecycle_state}, and it has an outcome`] : []),
    ...(quarantined === (moderation === 'quarantine')
      ? []
      : [
          `lifecycle_state is ${lifecycle_state}, and the last entry of the audit log about it is ${moderation ?? 'none'}`,
        ]),
  ];
}

/** The columns that differ from what was sealed. */
export function differingColumns(
  columns: Columns,
  sealed: Columns,
  where: string,
  stored = 'in the record',
): readonly string[] {
  return Object.entries(sealed).flatMap(([name, value]) => {
    if (differences(comparable(columns[name]), comparable(value)).length === 0) return [];
    return [`${name} is ${shown(value)} ${where} and ${shown(columns[name])} ${stored}`];
  });
}

/** Times as one text, however they are stored. */
function comparable(value: unknown): unknown {
  const time =
    value instanceof Date
      ? value.getTime()
      : typeof value === 'string' && TIME.test(value)
        ? Date.parse(value)
        : Number.NaN;
  return Number.isNaN(time) ? value : rfc3339(time);
}

function shown(value: unknown): string {
  const text = comparable(value);
  return typeof text === 'string' ? text : (JSON.stringify(text) ?? 'nothing');
}
