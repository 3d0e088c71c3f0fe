import type { UnevaluatedDecision } from '../../domain/decisions/evaluation-store.ts';
import { knowledgeEnd } from '../../domain/decisions/submission/submission.ts';
import type { EvaluationCall } from '../../domain/grading/evaluation.ts';
import { endTime } from '../../domain/grading/windows/window.ts';
import { identityOf } from '../../domain/market/instrument.ts';

/** The evaluation's view of a decision, with its end by the calendar as known now (evaluation.md section 2). */
export function evaluationCall(decision: UnevaluatedDecision): EvaluationCall {
  const { direction, horizon_kind, horizon_value, submission } = decision;
  const instrument = identityOf(decision);
  const anchor_time = decision.anchor_time.getTime();
  return {
    instrument,
    direction,
    horizon_kind,
    horizon_value,
    anchor_time,
    end_time: endTime({ instrument, horizon_kind, horizon_value }, anchor_time),
    data_cutoff: decision.data_cutoff.getTime(),
    reference_price: submission.reference_price,
    price_targets: submission.price_targets,
    invalidation: submission.invalidation,
    knowledge_cutoff: knowledgeEnd(submission),
  };
}
