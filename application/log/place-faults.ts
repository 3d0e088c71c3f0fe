import { isPublic } from '../../domain/decisions/visibility.ts';
import { CLOSING_REASONS, type ClosingReason } from '../../domain/log/leaves/leaf.ts';
import type { LogPlace } from '../../domain/log/log-evidence.ts';

/** What a log says that became of a decision. */
export interface LoggedState {
  readonly graded: boolean;
  /** Null for a decision that is not closed. */
  readonly closed: ClosingReason | null;
}

/**
 * How a decision differs from its leaves and pending events, in words.
 * @param logged what its leaves say; null where the leaf is that of no decision
 */
export function placeFaults(place: LogPlace, logged: LoggedState | null): readonly string[] {
  const { lifecycle_state, hasOutcome, index, outcome_index, pending } = place;
  if (lifecycle_state === null) {
    return pending.length === 0 ? [] : [`there is no such decision, and ${pending.length} events of it are pending`];
  }
  if (index !== null && logged === null) return [`its leaf ${index} is not that of a decision`];
  const begins = pending[0]?.event === 'decision' || pending[0]?.event === 'imported';
  if (index === null && !begins) return ['it has no leaf, and none is pending'];
  const expected = pending.reduce(after, logged ?? { graded: false, closed: null });
  const stored = CLOSING_REASONS.find((reason) => reason === lifecycle_state);
  const isAsLogged =
    (stored ?? null) === expected.closed && (stored !== undefined || isPublic({ lifecycle_state }) === expected.graded);
  return [
    ...(isAsLogged ? [] : [`lifecycle_state is ${lifecycle_state}, and the log says ${nameOf(expected)}`]),
    ...(hasOutcome && !expected.graded ? ['its outcome has no leaf, and none is pending'] : []),
    ...(outcome_index !== null && !logged?.graded ? [`the leaf ${outcome_index} is not that of its outcome`] : []),
  ];
}

function after(state: LoggedState, { event, reason }: LogPlace['pending'][number]): LoggedState {
  switch (event) {
    case 'outcome':
      return { ...state, graded: true };
    case 'closed':
      return { ...state, closed: reason };
    case 'reopened':
      return { ...state, closed: null };
    default:
      return state;
  }
}

function nameOf({ graded, closed }: LoggedState): string {
  return closed ?? (graded ? 'graded' : 'open');
}
