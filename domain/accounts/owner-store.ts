import type { Agent, Owner } from './owner.ts';

export interface OwnerStore {
  /**
   * Adds the owner; false when the folded email is taken, also by a transaction that commits first.
   * A unique email is guaranteed for any number of concurrent calls.
   * @throws when the owner_id is taken, which is a fault of ours
   */
  add(owner: Owner): Promise<boolean>;

  find(owner_id: string): Promise<Owner | null>;

  /** By the case-folded email. */
  findByEmail(email: string): Promise<Owner | null>;

  /**
   * Notes that the owner's address is confirmed, unless it was before.
   * @returns since when it is; null for an owner who is gone, suspended, or has no address
   */
  confirmEmail(owner_id: string): Promise<Date | null>;

  /** Up to `limit` owners after `after` in the order of their ids, which is that of their registration. */
  list(after: string | null, limit: number): Promise<readonly Owner[]>;

  /** The agent, when the owner has it. */
  findAgent(owner_id: string, agent_id: string): Promise<Agent | null>;

  /**
   * Adds the agent; false when the owner already has `atMost` that are not archived. Concurrent calls never exceed the limit
   * together.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  addAgent(agent: Agent, atMost: number): Promise<boolean>;
}
