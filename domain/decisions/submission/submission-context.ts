import type { DecisionDraft, Preview } from './decision-intake.ts';
import type { WarningCode } from './receipt.ts';

/** The stored facts that a submission depends on when it is written, besides its own values. */
export type SubmissionContext = Pick<Preview, 'verified' | 'history_from' | 'circuit_state' | 'workflow_found'>;

/**
 * The warnings of these facts, in the order in which a receipt lists them after those of the draft (settled.md section
 * 4).
 */
export function contextWarnings(
  draft: Pick<DecisionDraft, 'workflow_hash' | 'history_needed_from'>,
  context: SubmissionContext,
): WarningCode[] {
  return [
    ...(draft.workflow_hash !== null && !context.workflow_found ? (['WORKFLOW_REF_UNRESOLVED'] as const) : []),
    ...(context.circuit_state === 'tripped' ? (['PEG_TRIPPED'] as const) : []),
    ...(context.circuit_state === 'warming' ? (['PEG_WARMING'] as const) : []),
    ...(context.verified ? [] : (['INSTRUMENT_UNVERIFIED'] as const)),
    ...(context.history_from !== null && context.history_from > draft.history_needed_from
      ? (['INSUFFICIENT_HISTORY'] as const)
      : []),
  ];
}
