import type { CanonicalJson } from '../canonical-json.ts';
import type { Question } from '../cohorts/cohort-filter.ts';
import { hexOf } from '../log/encoding.ts';
import { producerDigest } from '../log/leaves/public-statement.ts';
import type { OpenedPlan, Plan } from '../log/plan.ts';
import type { Sha256 } from '../log/tree/tree.ts';
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

/** What an owner has, before a plan is added. */
export interface PlanGround {
  /** The plan of this agent with the same query and sentence; null for none. */
  readonly existing: Plan | null;
  /** Whether the owner had asked this question. */
  readonly asked_before: boolean;
  /** Plans that the owner stated since a time. */
  readonly stated: number;
}

/** What an owner asked of cohorts before a query. */
export interface AskedBefore {
  /** Distinct questions, over all agents of the owner; a question that was asked again counts once. */
  readonly queries_asked: number;
  /** The first plan that the owner stated for this question; null for none. */
  readonly plan: { readonly plan_id: string; readonly log_index: number | null; readonly stated_at: Date } | null;
}

/** A plan of a list. */
export interface ListedPlan extends Plan {
  /** Of its leaf in the newest log; null until that has it. */
  readonly log_index: number | null;
}

/** Behind which plan a page of a list begins. */
export type PlanPlace = Pick<Plan, 'stated_at' | 'plan_id'>;

/** Questions that owners stated before their answers, and those that they asked. */
export interface PlanStore {
  /**
   * Locks the owner until the transaction ends, so that no other plan and no question of the owner is added meanwhile.
   * @param plan `question` and `content` are those of an `OpenedPlan`
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  ground(
    plan: { readonly owner_id: string; readonly agent_id: string; readonly question: string; readonly content: string },
    since: Date,
  ): Promise<PlanGround>;

  /** Stores a plan for ever; its leaf is pending with it. Call `ground` first, in the same transaction. */
  add(plan: Plan): Promise<void>;

  /** Null for a plan that the owner does not have. */
  find(owner_id: string, plan_id: string): Promise<Plan | null>;

  /**
   * Up to `limit` plans of an owner, the newest first, behind `after`.
   * @param agent_id only those of this agent; null for all agents of the owner
   */
  list(
    owner_id: string,
    agent_id: string | null,
    after: PlanPlace | null,
    limit: number,
  ): Promise<readonly ListedPlan[]>;

  /**
   * Counts a question of the owner and returns what was there before. Concurrent first questions all count; of concurrent
   * calls with one question one counts.
   * @param question SHA-256 of the canonical query, hex
   * @throws Problem UNAUTHORIZED for an owner who is gone
   */
  ask(owner_id: string, question: string): Promise<AskedBefore>;
}
