import type { Decision } from '../../domain/decisions/decision.ts';
import type { Evaluation, EvaluationMethod } from '../../domain/grading/evaluation.ts';
import type { SeenEvidence } from '../../domain/grading/evidence.ts';
import { methodNamed } from '../../domain/grading/method.ts';
import { rfc3339 } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { type Difference, differences } from './differences.ts';
import { evaluationCall } from './evaluation-call.ts';
import { openEvidence } from './sealed-evidence.ts';

/** The result of computing an outcome again from its evidence. */
export type Recomputation =
  /** Every fact is equal to the stored one. */
  | { readonly kind: 'same'; readonly digest: string; readonly result_bucket: string }
  /** The evidence is intact, and gives facts that differ from the stored ones. */
  | { readonly kind: 'different'; readonly differences: readonly Difference[] }
  /** The evidence is not what was stored with the outcome. */
  | { readonly kind: 'damaged'; readonly faults: readonly string[] }
  /** There is nothing to compute, or nothing to compute it from. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** Evaluates a record again by its method from its evidence (evaluation.md) and compares each fact with the stored one. */
export async function recompute(
  { decisions, evidence }: Pick<Ports, 'decisions' | 'evidence'>,
  record_id: string,
): Promise<Recomputation> {
  const [decision] = await decisions.find([record_id], null);
  if (!decision) return impossible('There is no such record.');
  if (decision.facts === null) return impossible(`It has no outcome: it is ${decision.lifecycle_state}.`);
  const sealed = await evidence.findEvidence(record_id);
  if (!sealed) return impossible('No evidence was kept with its outcome, or it is gone.');
  const opened = openEvidence(record_id, sealed);
  if (opened.kind === 'damaged') return opened;
  const method = methodNamed(opened.method);
  if (!method) return impossible(`This version does not know the method ${opened.method}.`);
  if (method.name !== decision.method)
    return damaged(`The evidence is of ${opened.method}, the record of ${decision.method}.`);
  const found = differences(keptOf(decision), computedOf(evaluateAgain(method, decision, opened.seen), opened.seen));
  if (found.length > 0) return { kind: 'different', differences: found };
  return { kind: 'same', digest: sealed.digest, result_bucket: String(decision.result_bucket) };
}

export interface RecomputedRecord {
  readonly record_id: string;
  readonly result: Recomputation;
}

/** Every record that has an outcome, one after the other. */
export async function* recomputeAll(ports: Pick<Ports, 'decisions' | 'evidence'>): AsyncGenerator<RecomputedRecord> {
  let after: string | null = null;
  for (;;) {
    const page: readonly string[] = await ports.evidence.evaluatedAfter(after, PAGE);
    for (const record_id of page) yield { record_id, result: await recompute(ports, record_id) };
    after = page.at(-1) ?? null;
    if (after === null) return;
  }
}

const PAGE = 200;

/** By the window's end of the calendar at that time. */
function evaluateAgain(method: EvaluationMethod, decision: Decision, seen: SeenEvidence): Evaluation {
  return method.evaluate({ ...evaluationCall(decision), end_time: seen.end_time }, seen, seen.now);
}

function keptOf({ result_bucket, created_regime, facts, owner_facts, end_time }: Decision) {
  return { result_bucket, created_regime, facts, owner_facts, end_time: rfc3339(end_time) };
}

/** The bars of the path are not a fact of their own: they are read from the evidence. */
function computedOf(result: Evaluation, seen: SeenEvidence) {
  if (result.kind !== 'evaluated') return { result_bucket: `${result.kind}, ${result.reason}: ${result.detail}` };
  const { bars: _, ...facts } = result.outcome;
  return { ...facts, end_time: rfc3339(seen.end_time) };
}

function damaged(fault: string): Recomputation {
  return { kind: 'damaged', faults: [fault] };
}

function impossible(reason: string): Recomputation {
  return { kind: 'impossible', reason };
}
