import { sha256Hex } from '../../../application/sha256.ts';
import { firstState } from '../../../domain/decisions/lifecycle.ts';
import { isVerified } from '../../../domain/decisions/moderation/verification.ts';
import { commitmentOf, statementOf } from '../../../domain/decisions/submission/commitment.ts';
import {
  contextWarnings,
  type DecisionDraft,
  type RefusedRelation,
  type SubmissionContext,
} from '../../../domain/decisions/submission/decision-intake.ts';
import type { Receipt } from '../../../domain/decisions/submission/receipt.ts';
import { refusedRelations } from '../../../domain/decisions/submission/relations.ts';
import type { RelatedRecord, Submission } from '../../../domain/decisions/submission/submission.ts';
import { windowAt } from '../../../domain/grading/windows/window.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { hex } from '../kit/table.ts';
import { newestLog } from '../log/log-store.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

/** The record of a draft that is accepted at `received`. */
export function decisionRow(
  draft: DecisionDraft,
  context: StoredContext,
  received: Date,
  { record_id, number }: Pick<DecisionRow, 'record_id' | 'number'>,
): DecisionRow {
  const isolated = context.circuit_state !== 'normal';
  const window = windowAt(draft.plan, received.getTime());
  const placed = {
    ...{ record_id, number },
    ...{
      group_id: draft.group?.id ?? null,
      group_place: draft.group?.place ?? null,
      group_of: draft.group?.of ?? null,
    },
    submission_time: received,
    submission_origin: draft.plan.origin,
    method: draft.method,
    grid: null,
    anchor_time: new Date(window.anchor_time),
    end_time: new Date(window.end_time),
    settles_at: settlesAt(draft, received),
    cohort_key: isolated ? draft.isolated_cohort_key : draft.cohort_key,
    isolation_snapshot_id: isolated ? context.circuit_snapshot : null,
    workflow_hash: context.workflow_found ? draft.workflow_hash : null,
    lifecycle_state: firstState(context.verified),
  } as const;
  const sealed = seal(draft, placed);
  const { commitment } = sealed;
  const warnings = [...draft.warnings, ...contextWarnings(draft, context)];
  return {
    ...saidOf(draft),
    ...placed,
    ...UNTOUCHED,
    due_at: context.verified ? placed.settles_at : null,
    ...sealed,
    related: withoutRepeats(draft.related),
    receipt: {
      ...receiptOf({ ...placed, commitment, log: context.log, warnings }),
      ...(draft.group && { group: draft.group }),
    },
  };
}

function settlesAt({ plan, planned_at, settles_after }: DecisionDraft, received: Date): Date {
  return new Date(('after' in plan.end ? received : planned_at).getTime() + settles_after);
}

type Placed = Pick<DecisionRow, 'record_id' | 'submission_time'>;

function seal({ body, salt, group }: DecisionDraft, { record_id, submission_time }: Placed) {
  const statement = statementOf(body, record_id, submission_time, group);
  return { statement, salt: hex(salt), commitment: commitmentOf(salt, statement, sha256Hex) };
}

function saidOf(draft: DecisionDraft) {
  const { market, symbol, venue, asset_class, quote_currency } = draft.instrument;
  return {
    owner_id: draft.owner_id,
    agent_id: draft.agent_id,
    market,
    symbol,
    venue,
    asset_class,
    quote_currency,
    submitted_symbol: draft.submitted_symbol,
    name: draft.name,
    direction: draft.direction,
    horizon_kind: draft.horizon_kind,
    horizon_value: draft.horizon_value,
    analysis_class: draft.analysis_class,
    perspective_type: draft.perspective_type,
    data_cutoff: draft.data_cutoff,
    submission: JSON.parse(draft.body) as Submission,
  };
}

const UNTOUCHED = {
  attempts: 0,
  last_error: null,
  eval_token: null,
  evaluated_at: null,
  result_bucket: null,
  created_regime: null,
  archived_at: null,
  archive_reason: null,
  quarantine_reason: null,
  facts: null,
  owner_facts: null,
  bars: null,
  received_symbol: null,
  received_cohort_key: null,
  counted_since: null,
  wrong_security: false,
} as const;

function withoutRepeats(related: readonly RelatedRecord[]): RelatedRecord[] {
  return [...new Map(related.map((link) => [`${link.record_id} ${link.relation}`, link])).values()];
}

type ReceiptSource = Pick<
  DecisionRow,
  | 'record_id'
  | 'lifecycle_state'
  | 'submission_time'
  | 'submission_origin'
  | 'cohort_key'
  | 'anchor_time'
  | 'end_time'
  | 'settles_at'
  | 'workflow_hash'
  | 'commitment'
> &
  Required<Pick<Receipt, 'log' | 'warnings'>>;

function receiptOf(row: ReceiptSource): Receipt {
  const { record_id, lifecycle_state, submission_origin, cohort_key, workflow_hash, commitment, log, warnings } = row;
  return {
    record_id,
    lifecycle_state,
    submission_time: rfc3339(row.submission_time),
    submission_origin,
    cohort_key,
    anchor_time: rfc3339(row.anchor_time),
    end_time: rfc3339(row.end_time),
    settles_at: rfc3339(row.settles_at),
    workflow_hash,
    commitment,
    log,
    warnings,
  };
}

export interface StoredContext extends SubmissionContext {
  /** The newest snapshot of the circuit, where the quote currency has one. */
  readonly circuit_snapshot: string | null;
  /** The origin of the newest evidence log. */
  readonly log: string | null;
  readonly refused: readonly RefusedRelation[];
}

/** What the submission of a draft reads besides its own record. */
export function submissionContext(tables: DecisionTables, draft: DecisionDraft, received: Date): StoredContext {
  const circuit = draft.coin === null ? undefined : tables.circuits.get(draft.coin);
  const known = tables.instruments.get(instrumentKey(draft.instrument));
  return {
    circuit_state: circuit?.to ?? 'normal',
    circuit_snapshot: circuit?.id ?? null,
    log: newestLog(tables)?.origin ?? null,
    workflow_found: tables.publications.where((publication) => attributable(publication, draft)).length > 0,
    verified: isVerified(known ?? null, received),
    history_from: known?.listing ? new Date(known.listing.history_from) : null,
    refused: refusedRelations(
      draft,
      draft.related.flatMap(({ record_id }) => tables.decisions.get(record_id) ?? []),
    ),
  };
}

function attributable(
  { hash, owner_id, visibility }: { readonly hash: string; readonly owner_id: string; readonly visibility: string },
  draft: DecisionDraft,
): boolean {
  return hash === draft.workflow_hash && (visibility === 'public' || owner_id === draft.owner_id);
}
