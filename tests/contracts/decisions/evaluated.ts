import type { ClaimedDecision, EvaluationEnd } from '../../../domain/decisions/decision-store.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { anOutcome } from '../../builders/outcomes.ts';
import type { Bench } from './bench.ts';

/** Later than anything in a test becomes due. */
export const FAR = new Date('2999-01-01T00:00:00.000Z');

/** Leases that tests leave behind are over by then. */
const AFTERWARDS = new Date(FAR.getTime() + DAY);

/** Brings everything that waits to its end: verified, due at once, evaluated. */
export async function evaluateAll(bench: Bench, result?: EvaluationEnd['result']): Promise<void> {
  const { decisions } = bench.storage();
  for (const instrument of await decisions.awaitingVerification(FAR, 1_000)) {
    await decisions.settleVerification(instrument, 'verified');
  }
  const claimed = await decisions.claimDue(AFTERWARDS, AFTERWARDS, 1_000);
  await decisions.endEvaluations(
    claimed.map((each) => endOf(each, result)),
    await bench.now(),
  );
}

/** The end of a claimed evaluation, by an outcome unless told. */
export function endOf(
  { decision: { record_id }, token }: ClaimedDecision,
  result: EvaluationEnd['result'] = { kind: 'evaluated', outcome: anOutcome() },
  retry_at: Date | null = null,
): EvaluationEnd {
  return { record_id, token, result, retry_at };
}

export function inMinutes(at: Date, minutes: number): Date {
  return new Date(at.getTime() + minutes * MINUTE);
}
