import { analysisClass, type RelatedRecord, type Submission } from '../../domain/decisions/submission/submission.ts';
import type { StoredRecord, StoredSubmission } from '../../domain/decisions/views/evidence-reader.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { cohortException } from '../../domain/grading/cohort-exception.ts';
import { gridOf } from '../../domain/grading/grid.ts';
import { moveRange, moveZ } from '../../domain/grading/had-said.ts';
import { MINUTE, rfc3339 } from '../../domain/time.ts';
import { differences } from './differences.ts';

type Columns = Readonly<Record<string, unknown>>;

/** A statement in RFC 8785 form. */
export interface Statement {
  readonly record_id: string;
  readonly submission_time: string;
  readonly body: Submission;
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
  };
  return [
    ...unlike(columns, stated, 'in the statement'),
    ...receivedFaults(columns, said),
    ...unlike({ ...said.receipt }, { record_id, submission_time, commitment }, 'in the statement', 'in the receipt'),
    ...unlike({ confidence }, { confidence: body.confidence ?? null }, 'in the statement'),
    ...relationFaults(said.related, body),
    ...differences(submission ?? body, body).map(
      ({ path, kept, computed }) =>
        `submission.${path} is ${computed || 'nothing'} in the statement and ${kept || 'nothing'} in the submission`,
    ),
    ...(agent === null ? [] : unlike(columns, { owner_id: agent.owner_id }, 'of its agent')),
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
  return [
    ...unlike(columns, { submission_origin, cohort_key, anchor_time, workflow_hash }, 'in the receipt'),
    ...unlike(columns, received, 'when it was received'),
    ...(identity === instrument
      ? []
      : [`market, symbol, venue, asset_class and quote_currency are ${identity}, instrument is ${instrument}`]),
  ];
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
  if (outcome === null) return [...unlike(columns, UNGRADED, 'without an outcome'), ...stateFaults(record)];
  const { evaluated_at, result_bucket, created_regime, facts } = outcome;
  const { raw_return = null, directional_return = null, mfe, mae } = facts;
  const path = { raw_return, directional_return, mfe: mfe?.value ?? null, mae: mae?.value ?? null };
  // Null in records of a release without it, until a sweep has read them.
  const move = columns.move === null ? null : moveRange(moveZ(direction, facts));
  const counted = { move, grid: gridOf(facts), cohort_exception: cohortException(facts) };
  return [
    ...unlike(columns, { evaluated_at, result_bucket, created_regime, ...path, ...counted }, 'in the outcome'),
    ...stateFaults(record),
  ];
}

const UNGRADED = {
  ...{ evaluated_at: null, result_bucket: null, created_regime: null, raw_return: null, directional_return: null },
  ...{ mfe: null, mae: null, move: null, grid: null, cohort_exception: null },
};

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
export function unlike(columns: Columns, sealed: Columns, where: string, stored = 'in the record'): readonly string[] {
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

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

function shown(value: unknown): string {
  const text = comparable(value);
  return typeof text === 'string' ? text : (JSON.stringify(text) ?? 'nothing');
}
