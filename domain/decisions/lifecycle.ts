/**
 * The states of a record (settled.md section 5). `archived_at` is a mark and no state. Only its owner sees a
 * quarantined record, until an operator releases it.
 */
export const LIFECYCLE_STATES = [
  'pending_verify',
  'verified',
  'rejected',
  'evaluating',
  'deferred',
  'data_unavailable',
  'evaluated',
  'quarantined',
] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The state that a new record starts in. @param verified whether its instrument was verified recently enough */
export function firstState(verified: boolean): LifecycleState {
  return verified ? 'verified' : 'pending_verify';
}

/**
 * Every change of state, by its cause (settled.md section 5 and its amendment in section 14). There are no other
 * changes: the statements of the storages take their states from here.
 */
export const TRANSITIONS = [
  { by: 'verify', from: ['pending_verify'], to: 'verified' },
  { by: 'reject', from: ['pending_verify'], to: 'rejected' },
  // No source could be asked for 8 days; see `verificationEndsAt`.
  { by: 'expire', from: ['pending_verify'], to: 'rejected' },
  // Also by a statement about a name, by which the record counts under another security: `triedAgain`.
  { by: 'refresh', from: ['rejected'], to: 'pending_verify' },
  { by: 'refresh', from: ['data_unavailable'], to: 'evaluating' },
  // From `evaluating` only when the lease of that evaluation is over.
  { by: 'claim', from: ['verified', 'deferred', 'evaluating'], to: 'evaluating' },
  { by: 'grade', from: ['evaluating'], to: 'evaluated' },
  { by: 'defer', from: ['evaluating'], to: 'deferred' },
  { by: 'give_up', from: ['evaluating'], to: 'data_unavailable' },
  // The evaluation came too early, which does not count as an attempt: the record returns to the state that it was
  // claimed in.
  { by: 'postpone', from: ['evaluating'], to: 'verified' },
  { by: 'postpone', from: ['evaluating'], to: 'deferred' },
  // From `evaluating` only when the lease of that evaluation is over.
  { by: 'quarantine', from: LIFECYCLE_STATES.filter((state) => state !== 'quarantined'), to: 'quarantined' },
  { by: 'release', from: ['quarantined'], to: 'evaluated' },
  { by: 'release', from: ['quarantined'], to: 'pending_verify' },
] as const satisfies readonly Transition[];

interface Transition {
  readonly by: string;
  readonly from: readonly LifecycleState[];
  readonly to: LifecycleState;
}

export type Move = (typeof TRANSITIONS)[number]['by'];

/** The states from which a move is possible; with `to`, only those from which it leads there. */
export function statesBefore(by: Move, to?: LifecycleState): readonly LifecycleState[] {
  const transitions: readonly Transition[] = TRANSITIONS;
  const states = transitions.filter((each) => each.by === by && (to === undefined || each.to === to));
  return [...new Set(states.flatMap(({ from }) => from))];
}

/** Whether the state of a record allows the move. */
export function canMove(state: LifecycleState, by: Move): boolean {
  return statesBefore(by).includes(state);
}

/**
 * The states in which a sweep has to act at `due_at`: to claim the record, or to take over an evaluation whose lease is
 * over.
 */
export const DUE_STATES = statesBefore('claim');

export type Progress = 'awaiting_verification' | 'tracking' | 'awaiting_evaluation' | 'closed' | 'unavailable';

/** The one word that `/state` returns (settled.md section 5). */
export function progress(state: LifecycleState, endTime: Date, now: Date): Progress {
  switch (state) {
    case 'pending_verify':
      return 'awaiting_verification';
    case 'verified':
      return now < endTime ? 'tracking' : 'awaiting_evaluation';
    case 'evaluating':
    case 'deferred':
      return 'awaiting_evaluation';
    case 'evaluated':
      return 'closed';
    case 'rejected':
    case 'data_unavailable':
    case 'quarantined':
      return 'unavailable';
  }
}

/** The states in which a record has no outcome to show and awaits none. */
export const UNAVAILABLE_STATES = LIFECYCLE_STATES.filter(
  (state) => progress(state, new Date(0), new Date(0)) === 'unavailable',
);
