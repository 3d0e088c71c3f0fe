/** A question that was stated before its answer. It never changes; an erasure of its owner empties it (`opened`). */
export interface Plan {
  /** A UUID. */
  readonly plan_id: string;
  readonly owner_id: string;
  readonly agent_id: string;
  readonly stated_at: Date;
  /** SHA-256(salt || statement), hex. */
  readonly commitment: string;
  /** `producerDigest` with the same salt, hex. */
  readonly producer: string;
  /** Null once the owner was erased. */
  readonly opened: OpenedPlan | null;
}

export interface OpenedPlan {
  /** 32 random bytes, hex. */
  readonly salt: string;
  /** The RFC 8785 form of a `PlanStatement`. */
  readonly statement: string;
  /** SHA-256 of the canonical query, hex: by it the owner's cohort queries find the plan. */
  readonly question: string;
  /** SHA-256 of canonical query and sentence, hex: an agent has one plan of each. */
  readonly content: string;
}
