import type { Decision } from '../../decisions/decision.ts';
import { publicFacts } from '../../decisions/views/public-facts.ts';
import { publicEvaluationTime } from '../../decisions/views/public-times.ts';
import { publicWindow } from '../../decisions/views/views.ts';
import type { OutcomeFacts, ResultBucket } from '../../grading/outcome.ts';
import { rfc3339 } from '../../time.ts';

/** What a graded decision must have for its public outcome. */
export interface GradedDecision
  extends Pick<Decision, 'market' | 'venue' | 'submission_origin' | 'anchor_time' | 'end_time'> {
  readonly result_bucket: ResultBucket;
  readonly evaluated_at: Date;
  readonly created_regime: { readonly label: string } | null;
  readonly facts: OutcomeFacts;
}

/** What others see of a grade, by the names of the public detail (settled.md section 5). */
export interface PublicOutcome {
  readonly v: 1;
  readonly result_bucket: ResultBucket;
  /** RFC 3339, to the minute, rounded up. */
  readonly evaluated_at: string;
  readonly created_regime: string | null;
  /** The facts as others see them (`publicFacts`), without what the detail derives from them and the direction. */
  readonly outcome: OutcomeFacts;
  /** `evidenceDigest`, hex: without its salt it does not show what the evidence is. */
  readonly evidence: string;
}

/**
 * The public outcome of a grade, version 1; frozen as `publicStatement` is. The facts of eval/2 depend on the calendar:
 * what is logged is computed once, with the grade, and stored.
 * @param evidence hex
 */
export function publicOutcome(decision: GradedDecision, evidence: string): PublicOutcome {
  return withFacts(decision, evidence, publicFacts(decision.facts, decision, publicWindow(decision)));
}

/** The facts that others see with another value than the owner: what a public outcome is stored as. */
export type ChangedFacts = Partial<OutcomeFacts>;

export function shownFactsOf({ outcome }: PublicOutcome, facts: OutcomeFacts): ChangedFacts {
  const exact: Readonly<Record<string, unknown>> = { ...facts };
  return Object.fromEntries(Object.entries(outcome).filter(([name, value]) => exact[name] !== value)) as ChangedFacts;
}

/** The public outcome as it was logged. */
export function loggedOutcome(decision: GradedDecision, evidence: string, shown: ChangedFacts): PublicOutcome {
  return withFacts(decision, evidence, { ...decision.facts, ...shown } as OutcomeFacts);
}

function withFacts(decision: GradedDecision, evidence: string, outcome: OutcomeFacts): PublicOutcome {
  return {
    v: 1,
    result_bucket: decision.result_bucket,
    evaluated_at: rfc3339(publicEvaluationTime(decision.evaluated_at)),
    created_regime: decision.created_regime?.label ?? null,
    outcome,
    evidence,
  };
}
