import type { Agent, Owner } from './owner.ts';

export interface OwnerStore {
  /**
   * Adds the owner; false when the folded email is taken, also by a transaction that commits first.
   * The promise of a unique email holds for any number of callers at once.
   */
  add(owner: Owner): Promise<boolean>;

  find(owner_id: string): Promise<Owner | null>;

  /** By the case-folded email. */
  findByEmail(email: string): Promise<Owner | null>;

  /** Adds the agent; false when the owner has `atMost` already. Callers at once never pass the limit together. */
  addAgent(agent: Agent, atMost: number): Promise<boolean>;
}
