import type { PermissionMode, Role, Tier } from '../caller.ts';
import type { LifecycleState } from '../decisions/lifecycle.ts';
import type { AgentCounts } from '../decisions/own/track-record.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import { Problem } from '../problem.ts';
import { type Millis, rfc3339 } from '../time.ts';

/** A human account holder; the email is null for an account of the identity provider alone (settled.md section 8). */
export interface Owner {
  readonly owner_id: string;
  readonly email: string | null;
  readonly password_hash: string | null;
  readonly role: Role;
  readonly tier: Tier;
  readonly created_at: Date;
  /** Since when an operator has suspended the account; null: it is in use. */
  readonly suspended_at: Date | null;
  /** When a link that was mailed to the address was used first; null: the address is not confirmed. */
  readonly email_confirmed_at: Date | null;
  /** When the account will be erased, unless its owner takes that back; null: it stays. */
  readonly erases_at: Date | null;
}

/** An agent of an owner; only the owner sees its name. */
export interface Agent {
  readonly agent_id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly created_at: Date;
  /** When the owner archived it; null: it is in use. */
  readonly archived_at: Date | null;
}

/** Two emails belong to one account when this is equal (settled.md section 8: compared case-folded). */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** An agent with the keys that speak for it and cached counts of its records. */
export interface ListedAgent extends Agent {
  /** The unrevoked ones, the oldest first. */
  readonly keys: readonly { readonly key_prefix: string; readonly permission_mode: PermissionMode }[];
  readonly counts: AgentCounts;
  /** When the counts were made. */
  readonly cached_at: Date;
}

/** What an owner has, in raw counts. */
export interface OwnerCounts {
  /** Without archived ones. */
  readonly agents: number;
  /** Unrevoked ones. */
  readonly keys: number;
  readonly workflows: number;
  /** Of all records, archived ones included. */
  readonly by_state: Readonly<Record<LifecycleState, number>>;
  /** Of the evaluated records. */
  readonly by_bucket: Readonly<Record<ResultBucket, number>>;
  readonly archived: number;
  /** When this was counted. */
  readonly at: Date;
}

export type AgentPlace = Pick<Agent, 'created_at' | 'agent_id'>;

interface AgentPage {
  readonly archived: boolean;
  /** The agent before the page; null for the first one. */
  readonly after: AgentPlace | null;
  readonly limit: number;
}

/** What an owner has, at a glance. */
export interface OwnerOverview {
  /** The agents of the owner that the page wants, the oldest first. Their counts are none older than `maxAge`. */
  agents(owner_id: string, maxAge: Millis, page: AgentPage): Promise<readonly ListedAgent[]>;

  /** All counts at one moment, none of them cached. */
  counts(owner_id: string): Promise<OwnerCounts>;
}

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

/** For a request whose owner was removed after its credential was judged: the credential is no longer valid. */
export function ownerGone(): Problem {
  return new Problem('UNAUTHORIZED', 'This account no longer exists.', { suggestion: 'Create a new account.' });
}

/** For a caller who has proved to be the owner of a suspended account: who has not must not learn of it. */
export function accountSuspended(): Problem {
  return new Problem('ACCOUNT_SUSPENDED', 'The operator has suspended this account.');
}

/** The owner, who may add to the account. @throws Problem UNAUTHORIZED for one who is gone, ACCOUNT_SUSPENDED */
export function activeOwner<O extends Pick<Owner, 'suspended_at'>>(owner: O | null | undefined): O {
  if (!owner) throw ownerGone();
  if (owner.suspended_at !== null) throw accountSuspended();
  return owner;
}

/** For an account that is to be erased, which gets no keys. */
function erasureScheduled(erases_at: Date): Problem {
  return new Problem('ERASURE_SCHEDULED', `This account will be erased at ${rfc3339(erases_at)}.`);
}

/** The owner, who may get keys. @throws Problem as `activeOwner`, and ERASURE_SCHEDULED */
export function ownerForKeys<O extends Pick<Owner, 'suspended_at' | 'erases_at'>>(owner: O | null | undefined): O {
  const active = activeOwner(owner);
  if (active.erases_at !== null) throw erasureScheduled(active.erases_at);
  return active;
}
