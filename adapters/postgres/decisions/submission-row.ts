import { randomUUID } from 'node:crypto';
import type { DecisionDraft } from '../../../domain/decisions/submission/decision-intake.ts';
import { submitBytesPerHour } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { Millis } from '../../../domain/time.ts';

/** The attributes of the database type `app.submission`. */
export type SubmissionRow = Readonly<Record<string, unknown>>;

/** A draft as the database type `app.submission`, with a new suffix for its record id. */
export function submissionRow(draft: DecisionDraft, ordinal: number): SubmissionRow {
  const { plan, planned_at, settles_after, limits, idempotency, instrument } = draft;
  const floats = 'after' in plan.end;
  return {
    ordinal,
    owner_id: draft.owner_id,
    agent_id: draft.agent_id,
    key_prefix: draft.key_prefix,
    suffix: randomUUID().slice(0, SUFFIX_DIGITS),
    instrument: instrumentKey(instrument),
    ...instrument,
    submitted_symbol: draft.submitted_symbol,
    direction: draft.direction,
    horizon_kind: draft.horizon_kind,
    horizon_value: draft.horizon_value,
    analysis_class: draft.analysis_class,
    perspective_type: draft.perspective_type,
    confidence: draft.confidence,
    data_cutoff: draft.data_cutoff,
    submission_origin: plan.origin,
    method: draft.method,
    valid_from: planned_at,
    valid_until: instant(plan.until),
    anchor_at: plan.anchor === null ? null : instant(plan.anchor),
    end_at: 'at' in plan.end ? instant(plan.end.at) : null,
    end_after_ms: 'after' in plan.end ? plan.end.after : null,
    settles_at: floats ? null : instant(planned_at.getTime() + settles_after),
    settles_after_ms: floats ? settles_after : null,
    history_needed_from: draft.history_needed_from,
    coin: draft.coin,
    refuse_tripped: draft.refuse_tripped,
    cohort_key: draft.cohort_key,
    isolated_cohort_key: draft.isolated_cohort_key,
    workflow_hash: draft.workflow_hash,
    related: draft.related,
    warnings: draft.warnings,
    idempotency_key: idempotency?.key ?? null,
    fingerprint: idempotency?.fingerprint ?? null,
    submits_per_hour: limits.submitsPerHour,
    cooldown_seconds: limits.cooldownSeconds,
    retroactive_per_day: limits.retroactivePerDay,
    submit_bytes_per_hour: submitBytesPerHour(limits),
    network: draft.network === null ? null : Buffer.from(draft.network).toString('hex'),
    agent_hours_per_network: limits.agentHoursPerNetwork,
    body: draft.body,
    salt: Buffer.from(draft.salt).toString('hex'),
  };
}

/** Hexadecimal; the first of a UUID are random. */
const SUFFIX_DIGITS = 8;

function instant(at: Millis): string {
  return Number.isFinite(at) ? new Date(at).toISOString() : 'infinity';
}
