import { randomBytes, randomUUID } from 'node:crypto';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../application/sha256.ts';
import type { Question } from '../../domain/cohorts/cohort-filter.ts';
import { newPlan, type PlanDraft, planHashes, questionHash } from '../../domain/plans/plan.ts';

/** A question of an owner about one symbol. */
export function aQuestion(symbol = 'MSFT'): Question {
  return { market: 'stock', symbol, include_retroactive: false };
}

export function hashOf(question: Question): string {
  return questionHash(question, canonicalJson, sha256);
}

/** A plan of an agent, as it is stored. */
export function aPlan(draft: Pick<PlanDraft, 'owner_id' | 'agent_id' | 'stated_at'> & Partial<PlanDraft>) {
  const { owner_id, agent_id } = draft;
  const rest = { plan_id: randomUUID(), query: aQuestion(), sentence: 'It rises.', asked_before: false, ...draft };
  const hashes = planHashes(rest, canonicalJson, sha256);
  return newPlan({ ...rest, owner_id, agent_id }, hashes, randomBytes(32), canonicalJson, sha256);
}
