import type { Decision } from '../../domain/decisions/decision.ts';
import type { EvaluationCall, EvaluationMethod } from '../../domain/grading/evaluation.ts';
import type { SeenEvidence } from '../../domain/grading/evidence.ts';
import { methodNamed } from '../../domain/grading/method.ts';
import type { OutcomeFacts } from '../../domain/grading/outcome.ts';
import type { Ports } from '../ports.ts';
import { evaluationCall } from './evaluation-call.ts';
import { openEvidence } from './sealed-evidence.ts';

/** A stored outcome with its method and the intact evidence that it was computed from. */
export interface OpenedGrade {
  readonly kind: 'opened';
  readonly decision: Decision & { readonly facts: OutcomeFacts };
  readonly method: EvaluationMethod;
  /** With the window's end of the calendar at the time of the evaluation. */
  readonly call: EvaluationCall;
  readonly seen: SeenEvidence;
  /** SHA-256 of the document of the evidence, hex. */
  readonly digest: string;
}

export type UnopenedGrade =
  /** The evidence is not what was stored with the outcome. */
  | { readonly kind: 'damaged'; readonly faults: readonly string[] }
  /** There is nothing to compute, or nothing to compute it from. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** Reads what is needed to evaluate a graded record again, after checking every part of its evidence. */
export async function openGrade(
  { decisions, evidence }: Pick<Ports, 'decisions' | 'evidence'>,
  record_id: string,
): Promise<OpenedGrade | UnopenedGrade> {
  const [decision] = await decisions.find([record_id], null);
  if (!decision) return impossible('There is no such record.');
  const { facts } = decision;
  if (facts === null) return impossible(`It has no outcome: it is ${decision.lifecycle_state}.`);
  const sealed = await evidence.findEvidence(record_id);
  if (!sealed) return impossible('No evidence was kept with its outcome, or it is gone.');
  const opened = openEvidence(record_id, sealed);
  if (opened.kind === 'damaged') return opened;
  const { seen } = opened;
  const method = methodNamed(opened.method);
  if (!method) return impossible(`This version does not know the method ${opened.method}.`);
  if (method.name !== decision.method)
    return { kind: 'damaged', faults: [`The evidence is of ${opened.method}, the record of ${decision.method}.`] };
  const call = { ...evaluationCall(decision), end_time: seen.end_time };
  return { kind: 'opened', decision: { ...decision, facts }, method, call, seen, digest: sealed.digest };
}

const PAGE = 200;

/** The ids of all records that have an outcome, in their order; with `since` only those evaluated at or after it. */
export async function* gradedIds(
  { evidence }: Pick<Ports, 'evidence'>,
  since: Date | null = null,
): AsyncGenerator<string> {
  for (let after: string | null = null; ; ) {
    const page: readonly string[] = await evidence.evaluatedAfter(after, PAGE, since);
    yield* page;
    after = page.at(-1) ?? null;
    if (after === null) return;
  }
}

function impossible(reason: string): UnopenedGrade {
  return { kind: 'impossible', reason };
}
