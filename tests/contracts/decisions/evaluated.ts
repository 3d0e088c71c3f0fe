import type { ClaimedDecision, EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import type { Outcome } from '../../../domain/grading/outcome.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { aGraded } from '../../builders/outcomes.ts';
import type { Bench } from './bench.ts';

/** Later than anything in a test becomes due. */
export const FAR = new Date('2999-01-01T00:00:00.000Z');

/** Leases that tests leave behind are over by then. */
const AFTERWARDS = new Date(FAR.getTime() + DAY);

/** Brings everything that waits to its end: verified, due at once, evaluated. */
export async function evaluateAll(bench: Bench, outcome?: Outcome): Promise<void> {
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 1_000)) {
    await verification.settleVerification(instrument, 'verified');
  }
  const claimed = await evaluations.claimDue(AFTERWARDS, AFTERWARDS, 1_000);
  await evaluations.endEvaluations(
    claimed.map((each) => endOf(each, aGraded(each.decision.record_id, outcome))),
    await bench.now(),
  );
}

/** The end of a claimed evaluation, by default with an outcome. */
export function endOf(
  { decision: { record_id }, token }: ClaimedDecision,
  result: EvaluationEnd['result'] = aGraded(record_id),
  retry_at: Date | null = null,
): EvaluationEnd {
  return { record_id, token, result, retry_at };
}

export function inMinutes(at: Date, minutes: number): Date {
  return new Date(at.getTime() + minutes * MINUTE);
}
