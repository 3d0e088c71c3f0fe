import type { CanonicalJson } from '../canonical-json.ts';
import type { Question } from '../cohorts/question.ts';
import { hexOf } from '../log/encoding.ts';
import { producerDigest } from '../log/leaves/leaf-digests.ts';
import type { OpenedPlan, Plan } from '../log/plan.ts';
import type { Sha256 } from '../log/tree/sha256.ts';
import { rfc3339 } from '../time.ts';

/** What a plan says, and its leaf commits to; version 1 is frozen. */
export interface PlanStatement {
  readonly v: 1;
  readonly plan_id: string;
  readonly query: Question;
  readonly sentence: string;
  readonly stated_at: string;
  /** Whether the owner had asked this question before. */
  readonly asked_before: boolean;
}

/** What an agent states. */
export interface StatedQuestion {
  readonly query: Question;
  readonly sentence: string;
}

/** SHA-256 of the canonical query, hex. */
export function questionHash(query: Question, canonicalJson: CanonicalJson, sha256: Sha256): string {
  return hexOf(sha256(canonicalJson(query)));
}

/** The hashes by which a plan is found again. */
export type PlanHashes = Pick<OpenedPlan, 'question' | 'content'>;

export function planHashes(
  { query, sentence }: StatedQuestion,
  canonicalJson: CanonicalJson,
  sha256: Sha256,
): PlanHashes {
  return {
    question: questionHash(query, canonicalJson, sha256),
    content: hexOf(sha256(canonicalJson({ query, sentence }))),
  };
}

/** Who states what, when, and whether it was asked before. */
export interface PlanDraft extends StatedQuestion, Pick<Plan, 'plan_id' | 'owner_id' | 'agent_id' | 'stated_at'> {
  readonly asked_before: boolean;
}

/**
 * @param hashes those of what is stated
 * @param salt 32 random bytes of this plan
 */
export function newPlan(
  { query, sentence, asked_before, ...who }: PlanDraft,
  hashes: PlanHashes,
  salt: Uint8Array,
  canonicalJson: CanonicalJson,
  sha256: Sha256,
): Plan & { readonly opened: OpenedPlan } {
  const { plan_id, stated_at } = who;
  const said: PlanStatement = { v: 1, plan_id, query, sentence, stated_at: rfc3339(stated_at), asked_before };
  const statement = canonicalJson(said);
  return {
    ...who,
    commitment: hexOf(sha256(salt, statement)),
    producer: hexOf(producerDigest(salt, who, sha256)),
    opened: { salt: hexOf(salt), statement, ...hashes },
  };
}

/** Reads a statement that this service wrote. */
export function planStatementOf({ statement }: Pick<OpenedPlan, 'statement'>): PlanStatement {
  return JSON.parse(statement) as PlanStatement;
}
