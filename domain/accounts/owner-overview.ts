import type { PermissionMode } from '../caller.ts';
import type { LifecycleState } from '../decisions/lifecycle.ts';
import type { AgentCounts } from '../decisions/own/track-record.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { Millis } from '../time.ts';
import type { Agent } from './owner.ts';

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

export interface AgentPage {
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
