import type { Draft, Preview } from './decision-intake.ts';
import type { WarningCode } from './receipt.ts';

/** What a submission meets beside its own record when it is written. */
export type Surroundings = Pick<Preview, 'verified' | 'history_from' | 'circuit_state' | 'workflow_found'>;

/** What these warn of, in the order in which a receipt lists them after the warnings of the draft (settled.md section 4). */
export function surroundingWarnings(
  draft: Pick<Draft, 'workflow_hash' | 'history_needed_from'>,
  beside: Surroundings,
): WarningCode[] {
  return [
    ...(draft.workflow_hash !== null && !beside.workflow_found ? (['WORKFLOW_REF_UNRESOLVED'] as const) : []),
    ...(beside.circuit_state === 'tripped' ? (['PEG_TRIPPED'] as const) : []),
    ...(beside.circuit_state === 'warming' ? (['PEG_WARMING'] as const) : []),
    ...(beside.verified ? [] : (['INSTRUMENT_UNVERIFIED'] as const)),
    ...(beside.history_from !== null && beside.history_from > draft.history_needed_from
      ? (['INSUFFICIENT_HISTORY'] as const)
      : []),
  ];
}
