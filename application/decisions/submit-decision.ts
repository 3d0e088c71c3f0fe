import { admitSubmission } from '../../domain/decisions/submission/admit-submission.ts';
import type { Refused, Taken } from '../../domain/decisions/submission/decision-intake.ts';
import { repetitionOf } from '../../domain/decisions/submission/idempotency.ts';
import { type AcceptedReply, acceptedReply, type Receipt } from '../../domain/decisions/submission/receipt.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { draftDecision, type SubmitRequest } from './draft-decision.ts';
import { withPriceWarnings } from './price-gaps.ts';
import { refuseValues, refuseVerdict } from './refuse-submission.ts';

export interface Submitted {
  readonly reply: AcceptedReply;
  /** The reply was recorded by an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** A plan fails only when its interval ends between two statements; more failures in a row mean a faulty clock. */
const REPLANS = 5;

/**
 * Accepts a decision for ever, or refuses it (interface.md 4.2, settled.md section 4). The values are judged by the
 * database's clock as last seen; the write judges the rest and reports when that clock has left the plan's interval.
 * @param shapeFaults invalid values that the request parser has found already; returned together with the others
 * @throws Problem VALIDATION_ERROR (422), INVALID_SYMBOL, IDEMPOTENCY_KEY_REUSED, STABLECOIN_CIRCUIT_OPEN,
 * SUBMIT_FREQUENCY_EXCEEDED, DUPLICATE_SUBMISSION, RETROACTIVE_QUOTA_EXCEEDED, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED, SERVICE_UNAVAILABLE
 */
export async function submitDecision(
  ports: Ports,
  request: SubmitRequest,
  shapeFaults: readonly ProblemDetail[] = [],
): Promise<Submitted> {
  let at = await ports.clock.lastSeen();
  let fresh = false;
  for (let tries = 0; tries < REPLANS; tries++) {
    const admission = admitSubmission(request.submission, ports, at, shapeFaults);
    if (!('faults' in admission)) {
      const warned = await withPriceWarnings(ports, request.submission, admission);
      const verdict = await ports.intake.submit(draftDecision(request, warned, ports.settings));
      if (verdict.verdict !== 'replan') return answer(ports, request, verdict);
      at = verdict.received_at;
    } else if (fresh) {
      return refuseValues(ports, request, admission);
    } else {
      // The idempotency key is judged before the values, and the values by the clock at that time.
      const recorded = await replayOf(ports, request);
      if (recorded) return recorded;
      at = await ports.clock.now();
    }
    fresh = true;
  }
  throw new Problem('SERVICE_UNAVAILABLE', 'The clock moved while the decision was being written.');
}

async function replayOf(ports: Ports, request: SubmitRequest): Promise<Submitted | null> {
  const { agent, idempotency } = request;
  const recorded = idempotency && (await ports.intake.recorded(agent.agent_id, idempotency.key));
  const repetition = repetitionOf(idempotency, recorded);
  return repetition && answer(ports, request, repetition);
}

function answer(ports: Ports, request: SubmitRequest, verdict: Taken | Refused): Submitted {
  if ('receipt' in verdict) {
    if (verdict.verdict === 'accepted') wakeSweeps(ports, verdict.receipt);
    return { reply: acceptedReply(verdict.receipt), replayed: verdict.verdict === 'replayed' };
  }
  return refuseVerdict(verdict, ports.settings.limits, request.submission.related_records);
}

/** A record that waits for neither verification nor prices is graded within seconds. */
function wakeSweeps({ wake }: Ports, { lifecycle_state, settles_at, submission_time }: Receipt): void {
  if (lifecycle_state === 'pending_verify') wake('verify-instruments');
  else if (settles_at <= submission_time) wake('evaluate-due');
}
