import type { CircuitState } from '../circuits/circuit.ts';
import type { Coin } from '../circuits/coin.ts';
import type { Decision } from '../decisions/decision.ts';
import type { LifecycleState, Move } from '../decisions/lifecycle.ts';
import type { ResultBucket } from '../grading/outcome.ts';

/** What events report of a decision (docs/events.md). */
export const DECISION_EVENTS = [
  'decision.verified',
  'decision.rejected',
  'decision.deferred',
  'decision.evaluated',
  'decision.data_unavailable',
  'decision.quarantined',
  'decision.released',
] as const;
export type DecisionEventType = (typeof DECISION_EVENTS)[number];

export const EVENT_TYPES = [...DECISION_EVENTS, 'quota.credited', 'key.expiring', 'circuit.changed'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The event of each change of state; null where there is none. A refresh makes a decision wait again, and its next
 * verification or evaluation is an event; a claim and a postponement are steps inside an evaluation.
 */
export const EVENT_OF_MOVE: Readonly<Record<Move, DecisionEventType | null>> = {
  verify: 'decision.verified',
  reject: 'decision.rejected',
  expire: 'decision.rejected',
  refresh: null,
  claim: null,
  grade: 'decision.evaluated',
  defer: 'decision.deferred',
  give_up: 'decision.data_unavailable',
  postpone: null,
  quarantine: 'decision.quarantined',
  release: 'decision.released',
};

type Changing = Pick<Decision, 'lifecycle_state' | 'attempts'>;

/** The event of a change of a stored decision. A deferral counts as an attempt, a postponement does not. */
export function eventOfChange(before: Changing, after: Changing): DecisionEventType | null {
  const [from, to] = [before.lifecycle_state, after.lifecycle_state];
  if (from === to) return null;
  if (from === 'quarantined') return 'decision.released';
  switch (to) {
    case 'verified':
      return from === 'pending_verify' ? 'decision.verified' : null;
    case 'deferred':
      return after.attempts > before.attempts ? 'decision.deferred' : null;
    case 'pending_verify':
    case 'evaluating':
      return null;
    default:
      return `decision.${to}`;
  }
}

/** Ids, states and times: nothing that its owner cannot read elsewhere. */
export type EventData =
  | {
      readonly type: DecisionEventType;
      readonly data: {
        readonly record_id: string;
        readonly agent_id: string;
        /** After the change. */
        readonly lifecycle_state: LifecycleState;
        /** Of an evaluated decision; else null. */
        readonly result_bucket: ResultBucket | null;
      };
    }
  | {
      readonly type: 'quota.credited';
      readonly data: {
        readonly record_id: string;
        readonly agent_id: string;
        /** Units of the query pool. */
        readonly amount: number;
        /** The UTC day of the pool, as `2026-03-02`. */
        readonly day: string;
      };
    }
  | {
      /** Of owners alone: no agent reads it. */
      readonly type: 'key.expiring';
      readonly data: {
        readonly key_prefix: string;
        /** As `rfc3339` writes it. */
        readonly expires_at: string;
      };
    }
  | {
      readonly type: 'circuit.changed';
      readonly data: { readonly coin: Coin; readonly from: CircuitState; readonly to: CircuitState };
    };

export type FeedEvent = EventData & {
  /** A UUID, the same wherever the event is read. */
  readonly id: string;
  /** When it was written, in the transaction of what it reports. */
  readonly at: Date;
};
