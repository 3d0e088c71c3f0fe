import type { Decision } from '../../domain/decisions/decision.ts';
import type { Evaluation } from '../../domain/grading/evaluation.ts';
import type { SeenEvidence } from '../../domain/grading/evidence.ts';
import { rfc3339 } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { type Difference, differences } from './differences.ts';
import { gradedIds, openGrade, type UnopenedGrade } from './open-grade.ts';

/** The result of computing an outcome again from its evidence. */
export type Recomputation =
  /** Every fact is equal to the stored one. */
  | { readonly kind: 'same'; readonly digest: string; readonly result_bucket: string }
  /** The evidence is intact, and gives facts that differ from the stored ones. */
  | { readonly kind: 'different'; readonly differences: readonly Difference[] }
  | UnopenedGrade;

/** Evaluates a record again by its method from its evidence (evaluation.md) and compares each fact with the stored one. */
export async function recompute(
  ports: Pick<Ports, 'decisions' | 'evidence'>,
  record_id: string,
): Promise<Recomputation> {
  const opened = await openGrade(ports, record_id);
  if (opened.kind !== 'opened') return opened;
  const { decision, method, call, seen, digest } = opened;
  const found = differences(keptOf(decision), computedOf(method.evaluate(call, seen, seen.now), seen));
  if (found.length > 0) return { kind: 'different', differences: found };
  return { kind: 'same', digest, result_bucket: String(decision.result_bucket) };
}

export interface RecomputedRecord {
  readonly record_id: string;
  readonly result: Recomputation;
}

/** Every record that has an outcome, one after the other. */
export async function* recomputeAll(ports: Pick<Ports, 'decisions' | 'evidence'>): AsyncGenerator<RecomputedRecord> {
  for await (const record_id of gradedIds(ports)) yield { record_id, result: await recompute(ports, record_id) };
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
